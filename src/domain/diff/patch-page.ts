import { isUtf8 } from 'node:buffer';

/** A part of the patch of one file. */
export interface PatchPart {
  readonly text: string;
  /** The bytes, where they are not the text in UTF-8. */
  readonly base64?: string;
  /** Where the next part begins, in bytes; null when this is the last one. */
  readonly next: number | null;
}

/** As much of a patch from an offset on as fits, cut at the end of a line, or else of a character. */
export function partOf(patch: Buffer, offset: number, most: number): PatchPart {
  const rest = patch.subarray(offset);
  const part = beginningOf(rest, most);
  if (isUtf8(part)) return { text: part.toString(), next: nextOf(rest, part, offset) };
  // Text and bytes must fit together.
  const less = beginningOf(rest, Math.max(1, Math.floor(most / 3)));
  return {
    text: less.toString(),
    ...(isUtf8(less) ? {} : { base64: less.toString('base64') }),
    next: nextOf(rest, less, offset),
  };
}

function beginningOf(bytes: Buffer, most: number): Buffer {
  if (bytes.length <= most) return bytes;
  const line = bytes.lastIndexOf(10, most - 1) + 1;
  return bytes.subarray(0, line > 0 ? line : characterEnd(bytes, most));
}

function nextOf(rest: Buffer, part: Buffer, offset: number): number | null {
  return part.length === rest.length ? null : offset + part.length;
}

/** The last place at or before `at` where a character of UTF-8 begins; at least one byte on. */
function characterEnd(bytes: Buffer, at: number): number {
  let end = at;
  while (end > 1 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return end;
}

const HEADER = Buffer.from('diff --git ');

/** Splits what `git diff-tree -p` prints into the patches of its files: lines of content never begin like their headers. */
export class PatchSplitter {
  readonly #onLine: (section: number, line: Buffer) => void;
  #held: Buffer[] = [];
  #section = -1;

  constructor(onLine: (section: number, line: Buffer) => void) {
    this.#onLine = onLine;
  }

  read(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      this.#line(Buffer.concat([...this.#held, chunk.subarray(start, end + 1)]));
      this.#held = [];
      start = end + 1;
    }
    if (start < chunk.length) this.#held.push(chunk.subarray(start));
  }

  end(): void {
    if (this.#held.length > 0) this.#line(Buffer.concat(this.#held));
    this.#held = [];
  }

  #line(line: Buffer): void {
    if (line.subarray(0, HEADER.length).equals(HEADER)) this.#section++;
    if (this.#section >= 0) this.#onLine(this.#section, line);
  }
}
