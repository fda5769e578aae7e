import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { closeSync, linkSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { FleetError } from '../../domain/values/errors.ts';
import { writeFileAtomic } from '../../platform/write-file.ts';

const LIFE_MS = 10 * 60_000;

/** Text that a client holds for the fleet between two calls: signed, bound to one caller and call, valid for ten minutes
 *  and for one use, in any process of the home. It can carry a text, which is signed and not encrypted. */
export class SignedState {
  readonly #directory: string;
  readonly #now: () => number;
  #key: Buffer | undefined;

  constructor(home: string, now: () => number = Date.now) {
    this.#directory = join(home, 'tools', 'states');
    this.#now = now;
  }

  sign(bound: readonly string[], carried = ''): string {
    const nonce = randomBytes(16).toString('base64url');
    const head = `${this.#now() + LIFE_MS}.${nonce}.${Buffer.from(carried).toString('base64url')}`;
    return `${head}.${this.#mark(head, bound)}`;
  }

  /** Uses it up and returns the text that it carries; anything wrong with it is FORBIDDEN. */
  redeem(state: string, bound: readonly string[]): string {
    const [expires = '', nonce = '', carried = '', mark = ''] = state.split('.');
    const expected = this.#mark(`${expires}.${nonce}.${carried}`, bound);
    const [given, right] = [Buffer.from(mark), Buffer.from(expected)];
    if (given.length !== right.length || !timingSafeEqual(given, right)) {
      throw refused('it is not the one that was given for this call');
    }
    if (Number(expires) <= this.#now()) throw refused('it is older than ten minutes');
    this.#useUp(`${expires}.${nonce}`);
    return Buffer.from(carried, 'base64url').toString();
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
      // Created exclusively: of two requests with the same state, one is refused.
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
    `The answer is not accepted, because its state is not valid: ${why}. Call the tool again and answer again.`,
    { reason: 'bad_state' },
    cause,
  );
}
