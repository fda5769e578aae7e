import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FleetError } from '../../domain/values/errors.ts';
import { writeFileAtomic } from '../../platform/write-file.ts';
import { asOneLine } from './paste-stream.ts';

const MOST = 500;

/** The lines that were typed before, the newest first, as the line editor has them. */
export class ChatHistory {
  readonly #file: string;
  #lines: string[];

  constructor(home: string) {
    this.#file = join(home, 'chat-history');
    this.#lines = read(this.#file);
  }

  get lines(): string[] {
    return [...this.#lines];
  }

  add(message: string): void {
    const line = asOneLine(message);
    if (line.trim() === '' || this.#lines[0] === line) return;
    this.#lines = [line, ...this.#lines].slice(0, MOST);
    try {
      writeFileAtomic(this.#file, `${this.#lines.toReversed().join('\n')}\n`);
    } catch (thrown) {
      // Lost on a full disk, and not worth a word: the conversation itself says so.
      if (!(thrown instanceof FleetError)) throw thrown;
    }
  }
}

function read(file: string): string[] {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .toReversed()
      .slice(0, MOST);
  } catch {
    return [];
  }
}
