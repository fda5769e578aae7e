/** How many columns of a terminal a text takes. */
export function displayWidth(text: string): number {
  // eslint-disable-next-line no-control-regex -- plain ASCII is the common case
  if (/^[\u0020-\u007e]*$/.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

const NO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
const WIDE =
  /^(?:[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation})$/u;

function characterWidth(character: string): number {
  if (NO_WIDTH.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

/** A text that takes at most this many columns, with a mark where it was cut. */
export function cutToWidth(text: string, limit: number): string {
  if (displayWidth(text) <= limit) return text;
  let width = 0;
  let kept = '';
  for (const character of text) {
    width += characterWidth(character);
    if (width > limit - 1) break;
    kept += character;
  }
  return `${kept}…`;
}
