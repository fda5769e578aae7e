import { CHECK_OUTPUT_BYTES } from '../../../domain/review/checks.ts';

const LEFT_OUT = '… (the beginning is left out)\n';
const ROOM = CHECK_OUTPUT_BYTES - Buffer.byteLength(LEFT_OUT);

/** Keeps the last lines that a program printed. */
export class OutputTail {
  readonly #lines: string[] = [];
  #bytes = 0;
  #isCut = false;

  readonly add = (line: string): void => {
    this.#lines.push(line);
    this.#bytes += Buffer.byteLength(line) + 1;
    while (this.#bytes > ROOM && this.#lines.length > 1) {
      this.#bytes -= Buffer.byteLength(this.#lines.shift() ?? '') + 1;
      this.#isCut = true;
    }
  };

  /** Whole characters only. */
  text(): string {
    const bytes = Buffer.from(this.#lines.join('\n'));
    if (!this.#isCut && bytes.length <= ROOM) return bytes.toString();
    let from = Math.max(0, bytes.length - ROOM);
    while (isContinuation(bytes[from])) from++;
    return `${LEFT_OUT}${bytes.subarray(from).toString()}`;
  }
}

/** True for a byte inside a character of UTF-8. */
function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
