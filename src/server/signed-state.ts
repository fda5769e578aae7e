import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { closeSync, linkSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { FleetError } from '../domain/errors.ts';
import { writeFileAtomic } from '../platform/write-file.ts';

const LIFE_MS = 10 * 60_000;

/** Text that a client keeps for us between two calls: signed, bound to what it was given for, good for ten minutes and
 *  once, in whatever process of the home. */
export class SignedState {
  readonly #directory: string;
  readonly #now: () => number;
  #key: Buffer | undefined;

  constructor(home: string, now: () => number = Date.now) {
    this.#directory = join(home, 'tools', 'states');
    this.#now = now;
  }

  sign(bound: readonly string[]): string {
    const head = `${this.#now() + LIFE_MS}.${randomBytes(16).toString('base64url')}`;
    return `${head}.${this.#mark(head, bound)}`;
  }

  /** Uses it up; anything wrong with it is FORBIDDEN. */
  redeem(state: string, bound: readonly string[]): void {
    const [expires = '', nonce = '', mark = ''] = state.split('.');
    const expected = this.#mark(`${expires}.${nonce}`, bound);
    const [given, right] = [Buffer.from(mark), Buffer.from(expected)];
    if (given.length !== right.length || !timingSafeEqual(given, right)) {
      throw refused('it is not the one that was given for this call');
    }
    if (Number(expires) <= this.#now()) throw refused('it is older than ten minutes');
    this.#useUp(`${expires}.${nonce}`);
  }

  #mark(head: string, bound: readonly string[]): string {
    return createHmac('sha256', this.#secret())
      .update(JSON.stringify([head, ...bound]))
      .digest('base64url');
  }

  #useUp(name: string): void {
    for (const old of readdirSync(this.#directory)) {
      if (/^\d+\./.test(old) && Number(old.split('.')[0]) <= this.#now())
        rmSync(join(this.#directory, old), { force: true });
    }
    try {
      // Made anew or not at all: of two who bring the same one, one is refused.
      closeSync(openSync(join(this.#directory, name), 'wx', 0o600));
    } catch (cause) {
      throw refused('it was used before', cause);
    }
  }

  #secret(): Buffer {
    if (this.#key !== undefined) return this.#key;
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    const file = join(this.#directory, 'key');
    const candidate = `${file}-${randomBytes(8).toString('hex')}`;
    writeFileAtomic(candidate, randomBytes(32).toString('base64url'));
    try {
      // A link never replaces: of several first starts one makes the key, and all use it.
      linkSync(candidate, file);
    } catch {
      // It is there.
    } finally {
      rmSync(candidate, { force: true });
    }
    return (this.#key = Buffer.from(readFileSync(file, 'utf8'), 'base64url'));
  }
}

function refused(why: string, cause?: unknown): FleetError {
  return new FleetError(
    'FORBIDDEN',
    `The answer cannot be taken, because of its state: ${why}. Call the tool again and answer anew.`,
    { reason: 'bad_state' },
    cause,
  );
}
