const START = 0x1e;

export interface MarkedOutputParts {
  /** The other end takes input now. */
  ready(): void;
  write(bytes: Buffer): void;
}

/** What a terminal prints between two marks, as it comes; the second mark has the exit code. */
export class MarkedOutput {
  readonly #ready: Buffer;
  readonly #end: Buffer;
  readonly #parts: MarkedOutputParts;
  #rest: Buffer = Buffer.alloc(0);
  isReady = false;
  exit_code: number | undefined;

  constructor(mark: string, parts: MarkedOutputParts) {
    this.#ready = Buffer.from(`\u001eR${mark}`);
    this.#end = Buffer.from(`\u001eE${mark} `);
    this.#parts = parts;
  }

  read(chunk: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    while (this.#step());
  }

  /** False when the rest has to wait for more. */
  #step(): boolean {
    if (this.exit_code !== undefined || this.#rest.length === 0) return false;
    if (!this.isReady) {
      const at = this.#rest.indexOf(this.#ready);
      if (at < 0) return false;
      this.#take(at + this.#ready.length);
      this.isReady = true;
      this.#parts.ready();
      return true;
    }
    const at = this.#rest.indexOf(START);
    if (at !== 0) {
      this.#parts.write(this.#take(at < 0 ? this.#rest.length : at));
      return true;
    }
    const known = Math.min(this.#rest.length, this.#end.length);
    if (!this.#rest.subarray(0, known).equals(this.#end.subarray(0, known))) {
      this.#parts.write(this.#take(1));
      return true;
    }
    const over = this.#rest.indexOf(START, this.#end.length);
    if (known < this.#end.length || over < 0) return false;
    this.exit_code = Number(this.#rest.subarray(this.#end.length, over).toString());
    return false;
  }

  #take(bytes: number): Buffer {
    const taken = this.#rest.subarray(0, bytes);
    this.#rest = this.#rest.subarray(bytes);
    return taken;
  }
}
