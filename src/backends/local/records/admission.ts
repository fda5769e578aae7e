import { setTimeout as delay } from 'node:timers/promises';
import { whyNotStart, type MachineCapacity, type StartRules } from '../../../domain/admission.ts';
import type { Waiting } from '../../../domain/status.ts';
import { machineCapacity } from '../../../platform/processes/machine-capacity.ts';
import { identify, isAlive, type ProcessIdentity } from '../../../platform/processes/process-identity.ts';
import type { Admission } from '../../../runner/workspace.ts';
import type { Store } from '../../../store/store.ts';

const POLL_MS = 50;
const LONGEST_POLL_MS = 1_000;
/** What a machine has left changes all the time: who waits tells of it now and then. */
const TELL_EVERY_MS = 1_000;

export interface AdmissionRules extends StartRules {
  measure?(): MachineCapacity;
}

/** Turns to start, first come first served, over all processes of the fleet: as many at the same time as the rules and
 *  the machine allow. */
export function storeAdmission(store: Store, workspaceId: string, rules: AdmissionRules): Admission {
  return {
    enter: async (signal, setsUp) => {
      const line = new Line(store, { workspace_id: workspaceId, sets_up: setsUp }, rules);
      line.join();
      try {
        for (let poll = line.look(); poll !== undefined; poll = line.look())
          await delay(poll, undefined, { signal });
      } catch (thrown) {
        line.leave();
        throw thrown;
      }
      return {
        setUp: async (work) => {
          line.setUp('running');
          try {
            return await work();
          } finally {
            line.setUp('done');
          }
        },
        [Symbol.dispose]: () => line.leave(),
      };
    },
  };
}

/** Those that wait, with their places from 1 and what keeps the first of their line from starting. */
export function waitingToStart(store: Store): ReadonlyMap<string, Waiting> {
  const slots = slotsOf(store);
  return new Map([true, false].flatMap((sets_up) => placesIn(slots.filter(sameLine(sets_up)))));
}

function placesIn(line: readonly Slot[]): [string, Waiting][] {
  const why = line[0]?.holder.why;
  return line.map(({ workspace_id }, index) => [
    workspace_id,
    { place: index + 1, ...(why === undefined ? {} : { why }) },
  ]);
}

type SetUp = 'waiting' | 'running' | 'done';

/** A process that stands in line, or that was let in and is not ready yet. An older Fleet says neither. */
type Holder = ProcessIdentity & {
  readonly admitted?: boolean;
  readonly why?: string;
  /** Absent for one that has no set-up to run. */
  readonly set_up?: SetUp;
};

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

/** Two lines: agents that only start do not wait for a set-up, which may take long. */
function sameLine(sets_up: boolean): (slot: Slot) => boolean {
  return ({ holder }) => holder.admitted === false && (holder.set_up !== undefined) === sets_up;
}

/** The line, as one that stands in it sees it. */
class Line {
  readonly #store: Store;
  readonly #workspaceId: string;
  readonly #setsUp: boolean;
  readonly #rules: AdmissionRules;
  readonly #self = identify(process.pid);
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(
    store: Store,
    { workspace_id, sets_up }: { readonly workspace_id: string; readonly sets_up: boolean },
    rules: AdmissionRules,
  ) {
    this.#store = store;
    this.#workspaceId = workspace_id;
    this.#setsUp = sets_up;
    this.#rules = rules;
  }

  join(): void {
    this.#store.run(
      'INSERT OR REPLACE INTO slots (workspace_id, holder, room) VALUES (?, ?, ?)',
      this.#workspaceId,
      JSON.stringify({ ...this.#self, admitted: false, ...this.#lane() }),
      this.#rules.room,
    );
  }

  leave(): void {
    this.#store.run('DELETE FROM slots WHERE workspace_id = ?', this.#workspaceId);
  }

  /** Milliseconds after which to look again; undefined when it is this one's turn. */
  look(): number | undefined {
    const before = this.#before();
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
      this.#tell({ admitted: false, why, ...this.#lane() });
    }
    return POLL_MS;
  }

  #before(): readonly Slot[] {
    const slots = slotsOf(this.#store);
    const matches = sameLine(this.#setsUp);
    const own = slots.findIndex(({ workspace_id }) => workspace_id === this.#workspaceId);
    if (own >= 0) return slots.slice(0, own).filter(matches);
    // The store was lost and rebuilt: it does not have this one.
    this.join();
    return slots.filter(matches);
  }

  /** The first in the queue goes in when one more may; else it returns the reason. */
  #enter(): string | undefined {
    const inside = slotsOf(this.#store).filter((slot) => !isWaiting(slot));
    const counted = this.#setsUp ? inside : inside.filter(({ holder }) => holder.set_up !== 'running');
    const why = whyNotStart(counted.length, (this.#rules.measure ?? machineCapacity)(), this.#rules);
    if (why === undefined) this.#tell({ admitted: true, ...this.#lane() });
    return why;
  }

  setUp(set_up: SetUp): void {
    this.#tell({ admitted: true, set_up });
  }

  #lane(): Pick<Holder, 'set_up'> {
    return this.#setsUp ? { set_up: 'waiting' } : {};
  }

  #tell(what: Pick<Holder, 'admitted' | 'why' | 'set_up'>): void {
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
