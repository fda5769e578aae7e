import { jsonText } from './printable.ts';

const STYLES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, blue: 34, cyan: 36 } as const;

export type Style = keyof typeof STYLES;
export type Paint = (style: Style, text: string) => string;

export const plain: Paint = (_style, text) => text;

/** A stream of text for people or programs. Once it has failed, nothing more is written to it. */
export class Output {
  readonly isTerminal: boolean;
  readonly paint: Paint;
  readonly #stream: NodeJS.WritableStream;
  #closed = false;

  constructor(
    stream: NodeJS.WritableStream,
    env: NodeJS.ProcessEnv,
    onError: (error: NodeJS.ErrnoException) => void,
  ) {
    this.#stream = stream;
    this.isTerminal = 'isTTY' in stream && stream.isTTY === true;
    this.paint = this.isTerminal && wantsColour(env) ? ansi : plain;
    stream.on('error', (error: NodeJS.ErrnoException) => {
      this.#closed = true;
      onError(error);
    });
  }

  /** How many columns a line may have; unlimited where it is not a terminal's. */
  get columns(): number {
    const stream = this.#stream;
    return this.isTerminal && 'columns' in stream && typeof stream.columns === 'number' && stream.columns > 0
      ? stream.columns
      : Number.POSITIVE_INFINITY;
  }

  write(text: string | Uint8Array): void {
    if (!this.#closed) this.#stream.write(text);
  }

  line(text = ''): void {
    this.write(`${text}\n`);
  }

  /** One JSON document: indented for a person, in one line for a program. */
  json(value: unknown): void {
    this.line(jsonText(value, this.isTerminal ? 2 : 0));
  }
}

function wantsColour(env: NodeJS.ProcessEnv): boolean {
  return (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
}

function ansi(style: Style, text: string): string {
  return text === '' ? '' : `\u001b[${STYLES[style]}m${text}\u001b[0m`;
}
