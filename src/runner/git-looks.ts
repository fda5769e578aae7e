import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../domain/clock.ts';
import type { LogLevel } from '../domain/task.ts';
import type { Journal } from './journal/journal.ts';
import type { Workspace } from './workspace.ts';

export interface GitLookParts {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly workspace: Workspace;
  /** Counts the signs of life of the agent. */
  lastSign(): number;
  /** When somebody last looked at the fleet, by the wall clock. */
  lookedAt(): number;
  changed(): void;
  log(level: LogLevel, message: string): void;
}

const RECENT_MS = 1_000;
const EVERY_MS = 10_000;
/** Nobody reads the numbers of a fleet that nobody has looked at for so long. */
const UNSEEN_MS = 60_000;

/** Keeps what git says of the agent's work, with the time of the look. */
export class GitLooks {
  readonly #parts: GitLookParts;
  #running: Promise<void> | undefined;
  #at = Number.NEGATIVE_INFINITY;
  #sign = -1;

  constructor(parts: GitLookParts) {
    this.#parts = parts;
  }

  /** Looks now, after a look that has begun already: what changes from here on is not missed. */
  look(): Promise<void> {
    const last = (this.#running ?? Promise.resolve()).then(() => this.#look());
    this.#running = last;
    return last.finally(() => {
      if (this.#running === last) this.#running = undefined;
    });
  }

  /** Looks for somebody who waits for it, unless it was looked at a moment ago. */
  async refresh(within_ms: number, older_than_ms = RECENT_MS): Promise<void> {
    if (this.#parts.clock.now().at - this.#at < Math.min(RECENT_MS, older_than_ms)) return;
    await Promise.race([this.#running ?? this.look(), delay(within_ms, undefined, { ref: false })]);
  }

  /** Looks now and then, while a task runs that shows signs of life in a fleet that is looked at. */
  watch(): Disposable {
    const timer = setInterval(() => {
      const { lastSign, lookedAt, clock } = this.#parts;
      const isSeen = clock.now().at - lookedAt() < UNSEEN_MS;
      if (isSeen && this.#running === undefined && lastSign() !== this.#sign) void this.look();
    }, EVERY_MS);
    return { [Symbol.dispose]: () => clearInterval(timer) };
  }

  async #look(): Promise<void> {
    const { journal, clock, workspace, lastSign, changed } = this.#parts;
    const { at } = clock.now();
    const sign = lastSign();
    try {
      const git = await workspace.git(this.#parts.log);
      journal.setGit(git === null ? null : { ...git, as_of: new Date(at).toISOString() });
      this.#at = at;
      this.#sign = sign;
      changed();
    } catch {
      // Facts about the branch are a courtesy: the agent is as well without them.
    }
  }
}
