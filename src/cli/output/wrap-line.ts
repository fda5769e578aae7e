import { displayWidth } from './display-width.ts';

// eslint-disable-next-line no-control-regex -- colours take no room
const COLOUR = /\u001b\[\d+m/g;

/** Breaks a line between words. A word that is longer than a line stays whole, so that it can be copied. */
export function wrapLine(line: string, room: number): readonly string[] {
  const widthOf = (text: string): number => displayWidth(text.replaceAll(COLOUR, ''));
  if (widthOf(line) <= room) return [line];
  const lines: string[] = [];
  for (const word of line.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && widthOf(`${last} ${word}`) <= room) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
