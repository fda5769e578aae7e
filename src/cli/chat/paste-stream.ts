import { Transform } from 'node:stream';

const START = '\u001b[200~';
const END = '\u001b[201~';
/** Stands for a line break of pasted text while it is edited. */
export const PASTED_BREAK = '\u23ce';

export const PASTE_ON = '\u001b[?2004h';
export const PASTE_OFF = '\u001b[?2004l';

const CTRL_C = '\u0003';

/** Text that was pasted is one message: its line breaks do not send it. `takeInterrupt` is asked about a Ctrl-C that comes
 *  as a character, and says whether it has dealt with it. */
export function pasteStream(takeInterrupt: () => boolean = () => false): Transform {
  let inside = false;
  let held = '';
  return new Transform({
    decodeStrings: false,
    encoding: 'utf8',
    transform(chunk: Buffer | string, _encoding, done) {
      const typed = chunk.toString();
      const taken = typed.includes(CTRL_C) && takeInterrupt();
      let text = held + (taken ? typed.replaceAll(CTRL_C, '') : typed);
      held = '';
      let out = '';
      for (;;) {
        const mark = inside ? END : START;
        const at = text.indexOf(mark);
        if (at !== -1) {
          out += inside ? asOneLine(text.slice(0, at)) : text.slice(0, at);
          text = text.slice(at + mark.length);
          inside = !inside;
          continue;
        }
        const kept = partialMark(text, mark);
        const rest = text.slice(0, text.length - kept);
        out += inside ? asOneLine(rest) : rest;
        held = text.slice(text.length - kept);
        break;
      }
      done(null, out);
    },
  });
}

/** The message that a line of the editor stands for. */
export function withBreaks(line: string): string {
  return line.replaceAll(PASTED_BREAK, '\n');
}

export function asOneLine(text: string): string {
  return text.replaceAll(/\r\n|\r|\n/g, PASTED_BREAK).replaceAll('\t', '  ');
}

/** How many characters at the end may be the beginning of a mark. A lone Escape is a key. */
function partialMark(text: string, mark: string): number {
  for (let length = Math.min(mark.length - 1, text.length); length > 1; length--) {
    if (text.endsWith(mark.slice(0, length))) return length;
  }
  return 0;
}
