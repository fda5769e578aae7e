import { StringDecoder } from 'node:string_decoder';

/** Splits a byte stream into lines of text; a line without end is given in pieces. */
export class LineSplitter {
  readonly #decoder = new StringDecoder('utf8');
  readonly #onLine: (line: string) => void;
  readonly #limit: number;
  #rest = '';

  constructor(onLine: (line: string) => void, limit = 65_536) {
    this.#onLine = onLine;
    this.#limit = limit;
  }

  write(chunk: Buffer): void {
    const lines = (this.#rest + this.#decoder.write(chunk)).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#onLine(line.endsWith('\r') ? line.slice(0, -1) : line);
    if (this.#rest.length > this.#limit) {
      this.#onLine(this.#rest);
      this.#rest = '';
    }
  }

  end(): void {
    const rest = this.#rest + this.#decoder.end();
    this.#rest = '';
    if (rest !== '') this.#onLine(rest);
  }
}
