import fs from 'node:fs';
import { CUT_DIRECTORY, CUT_ROLE, cutFiles } from './cut-files.ts';

/** The real ones: those that a process uses are wrapped. */
const { closeSync, existsSync, openSync, readFileSync, writeSync } = fs;

/** Processes that only look. */
const LOOKS =
  /^spawn git (cat-file|config|diff|for-each-ref|log|ls-files|merge-base|rev-list|rev-parse|show-ref|status|symbolic-ref)/;

/** Counts the moments of this process and stops it at the chosen one. */
export class CutMoments {
  readonly #files = cutFiles(process.env[CUT_DIRECTORY] ?? '');
  readonly #base = process.env[CUT_ROLE] ?? 'unknown';
  #role: string | undefined;
  #count = 0;
  #still = false;

  /** Does something that changes the world outside of this process, with a moment before and after it. While no turn of
   *  the event loop has passed, the one before is the same as the one after the last change. */
  around<Result>(what: string, act: () => Result): Result {
    if (LOOKS.test(what)) return this.#look(what, act);
    if (!this.#still) this.#moment(`before ${what}`);
    const result = act();
    this.#moment(`after ${what}`);
    this.#still = true;
    setImmediate(() => (this.#still = false)).unref();
    return result;
  }

  /** Nothing is changed by a look: before it all is as it was after the last change. */
  #look<Result>(what: string, act: () => Result): Result {
    const result = act();
    if (existsSync(this.#files.looks)) this.#moment(`after ${what}`);
    return result;
  }

  #moment(what: string): void {
    if (!existsSync(this.#files.armed)) return;
    this.#role ??= this.#claimRole();
    const here = `${this.#role} ${++this.#count}`;
    this.#note(`${here} ${what}\n`);
    if (!existsSync(this.#files.point)) return;
    const point = readFileSync(this.#files.point, 'utf8');
    if (point === here || point === `${this.#role} ${what}`) process.kill(process.pid, 'SIGKILL');
  }

  #note(line: string): void {
    const file = openSync(this.#files.trace, 'a');
    writeSync(file, line);
    closeSync(file);
  }

  #claimRole(): string {
    for (let number = 1; ; number++) {
      const role = `${this.#base}-${number}`;
      try {
        const file = openSync(this.#files.claim(role), 'wx');
        writeSync(file, String(process.pid));
        closeSync(file);
        return role;
      } catch {
        // Another process came first.
      }
    }
  }
}
