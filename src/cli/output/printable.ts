/* eslint-disable no-control-regex -- control characters are what this file is about */

// Besides the control characters, those that change the direction of what follows: a text must not be able to
// move the cursor, colour the screen or hide part of itself.
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const UNPRINTABLE_IN_LINES =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const UNPRINTABLE_IN_JSON = /[\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** A text of an agent, safe for a terminal: its lines and tabs stay, other control characters are escaped. */
export function printable(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(UNPRINTABLE_IN_LINES, escaped);
}

/** The same in one line: white space of any kind becomes single spaces. */
export function printableLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim().replaceAll(UNPRINTABLE, escaped);
}

/** JSON that is also safe for a terminal: JSON itself escapes only the characters below the space. */
export function jsonText(value: unknown, indent = 0): string {
  return JSON.stringify(value, null, indent).replaceAll(UNPRINTABLE_IN_JSON, unicodeEscape);
}

function escaped(character: string): string {
  const code = character.charCodeAt(0);
  return code <= 0xff ? `\\x${code.toString(16).padStart(2, '0')}` : unicodeEscape(character);
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
