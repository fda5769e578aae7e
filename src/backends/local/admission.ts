import { setTimeout as delay } from 'node:timers/promises';
import { whyNotStart, type MachineRoom, type StartRules } from '../../domain/admission.ts';
import type { Waiting } from '../../domain/status.ts';
import { machineRoom } from '../../platform/machine-room.ts';
import { identify, isAlive, type ProcessIdentity } from '../../platform/process-identity.ts';
import type { Admission } from '../../runner/workspace.ts';
import type { Store } from '../../store/store.ts';

const POLL_MS = 50;
const LONGEST_POLL_MS = 1_000;
/** What a machine has left changes all the time: who waits tells of it now and then. */
const TELL_EVERY_MS = 1_000;

export interface AdmissionRules extends StartRules {
  measure?(): MachineRoom;
}

/** Turns to start, first come first served, over all processes of the fleet: as many at the same time as the rules and
 *  the machine allow. */
export function storeAdmission(store: Store, workspaceId: string, rules: AdmissionRules): Admission {
  return {
    enter: async (signal) => {
      const line = new Line(store, workspaceId, rules);
      line.join();
      try {
        for (let poll = line.look(); poll !== undefined; poll = line.look())
          await delay(poll, undefined, { signal });
      } catch (thrown) {
        line.leave();
        throw thrown;
      }
      return { [Symbol.dispose]: () => line.leave() };
    },
  };
}

/** Those that wait, with their places from 1 and what keeps the first of them from starting. */
export function waitingToStart(store: Store): ReadonlyMap<string, Waiting> {
  const waiting = slotsOf(store).filter(isWaiting);
  const why = waiting[0]?.holder.why;
  return new Map(
    waiting.map(({ workspace_id }, index) => [
      workspace_id,
      { place: index + 1, ...(why === undefined ? {} : { why }) },
    ]),
  );
}

/** A process that stands in line, or that was let in and is not ready yet. An older Fleet says neither. */
type Holder = ProcessIdentity & { readonly admitted?: boolean; readonly why?: string };

interface Slot {
  readonly workspace_id: string;
  readonly holder: Holder;
  /** As it is written. */
  readonly text: string;
}

function slotsOf(store: Store): readonly Slot[] {
  return store.all('SELECT workspace_id, holder FROM slots ORDER BY ticket').map((row) => {
    const text = String(row['holder']);
    return { workspace_id: String(row['workspace_id']), holder: JSON.parse(text) as Holder, text };
  });
}

function isWaiting({ holder }: Slot): boolean {
  return holder.admitted === false;
}

/** The line, as one that stands in it sees it. */
class Line {
  readonly #store: Store;
  readonly #workspaceId: string;
  readonly #rules: AdmissionRules;
  readonly #self = identify(process.pid);
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(store: Store, workspaceId: string, rules: AdmissionRules) {
    this.#store = store;
    this.#workspaceId = workspaceId;
    this.#rules = rules;
  }

  join(): void {
    this.#store.run(
      'INSERT OR REPLACE INTO slots (workspace_id, holder, room) VALUES (?, ?, ?)',
      this.#workspaceId,
      JSON.stringify({ ...this.#self, admitted: false }),
      this.#rules.room,
    );
  }

  leave(): void {
    this.#store.run('DELETE FROM slots WHERE workspace_id = ?', this.#workspaceId);
  }

  /** Milliseconds after which to look again; undefined when it is this one's turn. */
  look(): number | undefined {
    const before = this.#waitingBefore();
    if (before.length > 0) {
      // Each sees to the one before it, and the first to those that are starting: nobody looks at everybody.
      this.#removeDead(before.slice(-1));
      return Math.min(LONGEST_POLL_MS, POLL_MS * (1 + before.length));
    }
    this.#removeDead(slotsOf(this.#store).filter((slot) => !isWaiting(slot)));
    const why = this.#store.transaction(() => this.#enter());
    if (why === undefined) return undefined;
    if (performance.now() - this.#toldAt >= TELL_EVERY_MS) {
      this.#toldAt = performance.now();
      this.#tell({ admitted: false, why });
    }
    return POLL_MS;
  }

  #waitingBefore(): readonly Slot[] {
    const slots = slotsOf(this.#store);
    const own = slots.findIndex(({ workspace_id }) => workspace_id === this.#workspaceId);
    if (own >= 0) return slots.slice(0, own).filter(isWaiting);
    // The store was lost and made anew: it has not heard of this one.
    this.join();
    return slots.filter(isWaiting);
  }

  /** Whoever is first goes in when one more may; else it answers why not. */
  #enter(): string | undefined {
    const starting = slotsOf(this.#store).filter((slot) => !isWaiting(slot)).length;
    const why = whyNotStart(starting, (this.#rules.measure ?? machineRoom)(), this.#rules);
    if (why === undefined) this.#tell({ admitted: true });
    return why;
  }

  #tell(what: Pick<Holder, 'admitted' | 'why'>): void {
    this.#store.run(
      'UPDATE slots SET holder = ? WHERE workspace_id = ?',
      JSON.stringify({ ...this.#self, ...what }),
      this.#workspaceId,
    );
  }

  #removeDead(slots: readonly Slot[]): void {
    for (const { workspace_id, holder, text } of slots) {
      if (isAlive(holder)) continue;
      this.#store.run('DELETE FROM slots WHERE workspace_id = ? AND holder = ?', workspace_id, text);
    }
  }
}
