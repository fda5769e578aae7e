import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../domain/clock.ts';
import type { Launch } from '../../domain/launch.ts';
import { FLEET_ACTOR } from '../../domain/principal.ts';
import type { Account } from '../../runner/programs/driver.ts';
import type { Journal } from '../../runner/journal/journal.ts';
import type { Store } from '../../store/store.ts';

const LOOK_MS = 500;

export interface AccountParts {
  readonly store: Store;
  readonly journal: Journal;
  readonly launch: Launch;
  readonly clock: Clock;
}

/** The account of an agent, as all runners of the fleet know it: one that learns that the quota is used up parks them all. */
export class StoreAccount implements Account {
  readonly #parts: AccountParts;
  readonly #key: string;

  constructor(parts: AccountParts) {
    this.#parts = parts;
    this.#key = accountKey(parts.launch);
  }

  async free(signal: AbortSignal): Promise<void> {
    const { journal } = this.#parts;
    for (;;) {
      const parked = this.#parked();
      if (parked === undefined || signal.aborted) break;
      if (journal.state().parked === null) journal.append(FLEET_ACTOR, { kind: 'agent.parked', ...parked });
      await delay(LOOK_MS, undefined, { signal }).catch(() => {});
    }
    if (journal.state().parked !== null) journal.append(FLEET_ACTOR, { kind: 'agent.unparked' });
  }

  park(reason: string, until: number | null): void {
    this.#parts.store.run(
      'INSERT OR REPLACE INTO parked (account, reason, until) VALUES (?, ?, ?)',
      this.#key,
      reason,
      until,
    );
  }

  /** The word of a person: all agents of the account try again. */
  release(): void {
    this.#parts.store.run('DELETE FROM parked WHERE account = ?', this.#key);
  }

  #parked(): { readonly reason: string; readonly until: string | null } | undefined {
    const row = this.#parts.store.get('SELECT reason, until FROM parked WHERE account = ?', this.#key);
    if (row === undefined) return undefined;
    const until = row['until'] === null ? null : Number(row['until']);
    if (until !== null && until <= this.#parts.clock.now().at) {
      this.release();
      return undefined;
    }
    return { reason: String(row['reason']), until: until === null ? null : new Date(until).toISOString() };
  }
}

/** The same kind of agent with the same credentials, which are not kept. */
function accountKey({ agent, env }: Launch): string {
  const credentials = Object.entries(env).filter(([name]) =>
    /(_API_KEY|_TOKEN|_CONFIG_DIR|^HOME)$/.test(name),
  );
  return createHash('sha256')
    .update(JSON.stringify([agent, credentials.toSorted(([a], [b]) => (a < b ? -1 : 1))]))
    .digest('hex');
}
