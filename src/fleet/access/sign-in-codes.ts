import { hash, randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomic } from '../../platform/write-file.ts';

const LIFE_MS = 10 * 60_000;
const MOST = 100;

/** Codes of sign-in links: each works once, within ten minutes, whichever process made it. Only their hashes are kept. */
export class SignInCodes {
  readonly #directory: string;
  readonly #now: () => number;

  constructor(home: string, now: () => number = Date.now) {
    this.#directory = join(home, 'sign-in-codes');
    this.#now = now;
  }

  make(): { readonly code: string; readonly expires_at: string } {
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    this.#makeRoom();
    const code = randomBytes(32).toString('base64url');
    const expires_at = new Date(this.#now() + LIFE_MS).toISOString();
    writeFileAtomic(this.#file(code), expires_at);
    return { code, expires_at };
  }

  /** True when the code was good; it is not any more. */
  take(code: string): boolean {
    const taken = `${this.#file(code)}.${randomUUID()}`;
    try {
      // Of several that take it at the same time, one can rename it.
      renameSync(this.#file(code), taken);
      const expires = Date.parse(readFileSync(taken, 'utf8'));
      return this.#now() <= expires;
    } catch {
      return false;
    } finally {
      rmSync(taken, { force: true });
    }
  }

  #makeRoom(): void {
    const kept = readdirSync(this.#directory)
      .map((name) => join(this.#directory, name))
      .map((file) => ({ file, expires: expiryOf(file) }))
      .toSorted((a, b) => b.expires - a.expires);
    const now = this.#now();
    for (const [index, { file, expires }] of kept.entries())
      if (index >= MOST - 1 || expires < now) rmSync(file, { force: true });
  }

  #file(code: string): string {
    return join(this.#directory, hash('sha256', code, 'hex'));
  }
}

/** 0 for a file that cannot be read, or was just taken. */
function expiryOf(file: string): number {
  try {
    return Date.parse(readFileSync(file, 'utf8')) || 0;
  } catch {
    return 0;
  }
}
