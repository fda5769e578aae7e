import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../domain/clock.ts';
import { listedFields, NOT_COLLECTED, type MetadataFields } from '../../domain/metadata/taskfile-metadata.ts';
import type { Journal } from '../journal/journal.ts';
import { collectFields, describedField, nameFields } from './collect-fields.ts';
import { findFields, type FoundTaskfile } from './find-fields.ts';
import type { MetadataPlace } from '../programs/metadata-place.ts';

export interface MetadataKeeperParts {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly place: MetadataPlace;
  /** When somebody last looked at the fleet, by the wall clock. */
  lookedAt(): number;
  /** Hears which fields have another value now; none when only the time is another one. */
  changed(names: readonly string[]): void;
  /** Says what is wrong with the Taskfile itself. */
  complain(problem: string): void;
}

export interface Refresh {
  readonly older_than_ms: number;
  readonly within_ms: number;
}

const EVERY_MS = 30_000;
const LOOKED_WITHIN_MS = 60_000;
/** What takes long, or has to on a machine that is slow, is done less often. */
const REST_FACTOR = 60;

/** Keeps what the agent's Taskfile says in the journal. Nothing here ever fails the agent. */
export class MetadataKeeper implements AsyncDisposable {
  readonly #parts: MetadataKeeperParts;
  readonly #closing = new AbortController();
  #known: FoundTaskfile | undefined;
  #running: Promise<void> | undefined;
  #again = false;
  #collectedAt = 0;
  #lookedAt = 0;
  #fields: MetadataFields = {};
  /** True when some of the fields were not kept yet. */
  #isNews = false;
  #problem: string | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: MetadataKeeperParts) {
    this.#parts = parts;
    this.#restFor(EVERY_MS);
  }

  /** Collects again; a collection that is already running does not count. Answers when it is done. */
  collect(): Promise<void> {
    if (this.#running === undefined) this.#running = this.#work();
    else this.#again = true;
    return this.#running;
  }

  /** Collects what is older than that, and answers at the latest after `within_ms`, with what there is by then kept. */
  async refresh({ older_than_ms, within_ms }: Refresh): Promise<void> {
    const now = this.#parts.clock.now().at;
    this.#lookedAt = now;
    if (this.#running === undefined && now - this.#collectedAt <= older_than_ms) return;
    await Promise.race([this.#running ?? this.collect(), delay(within_ms, undefined, { ref: false })]);
    this.#keepDone();
  }

  /** Answers when nothing is being collected. */
  async settled(): Promise<void> {
    await this.#running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#timer);
    this.#closing.abort();
    await this.#running;
  }

  async #work(): Promise<void> {
    const began = performance.now();
    try {
      do {
        this.#again = false;
        await this.#collectOnce();
      } while (this.#again && !this.#closing.signal.aborted);
    } catch (thrown) {
      // The agent is as well without it, and it is tried again.
      console.error(thrown instanceof Error ? thrown.message : thrown);
    } finally {
      this.#running = undefined;
      this.#restFor(Math.max(EVERY_MS, (performance.now() - began) * REST_FACTOR));
    }
  }

  async #collectOnce(): Promise<void> {
    const { journal, place, clock } = this.#parts;
    const { signal } = this.#closing;
    this.#collectedAt = clock.now().at;
    const taskfile = await findFields(place, this.#known, signal);
    if (signal.aborted) return;
    this.#known = taskfile;
    this.#complain(taskfile?.problem ?? null);
    if (taskfile === undefined) {
      if (journal.listed().collected_at !== null) this.#keep({}, null);
      return;
    }
    this.#fields = atFirst(taskfile, journal.fields());
    if (!isDeepStrictEqual(this.#fields, journal.fields()))
      this.#keep(this.#fields, journal.listed().collected_at);
    this.#isNews = true;
    await collectFields(place, taskfile, {
      signal,
      done: (name, field) => {
        this.#fields = { ...this.#fields, [name]: field };
        this.#isNews = true;
      },
    });
    this.#collectedAt = clock.now().at;
    this.#keepDone();
  }

  /** Keeps what was collected since it was last kept. */
  #keepDone(): void {
    if (!this.#isNews || this.#closing.signal.aborted) return;
    this.#isNews = false;
    this.#keep(this.#fields, new Date(this.#parts.clock.now().at).toISOString());
  }

  #keep(fields: MetadataFields, collected_at: string | null): void {
    const { journal, clock, changed } = this.#parts;
    const before = journal.fields();
    const names = [...new Set([...Object.keys(before), ...Object.keys(fields)])].filter(
      (name) => !isDeepStrictEqual(before[name], fields[name]),
    );
    const changed_at =
      names.length === 0 ? journal.listed().changed_at : new Date(clock.now().at).toISOString();
    journal.setFields(names.length === 0 ? null : fields, listedFields(fields, { collected_at, changed_at }));
    changed(names);
  }

  #complain(problem: string | null): void {
    if (problem !== null && problem !== this.#problem) this.#parts.complain(problem);
    this.#problem = problem;
  }

  #restFor(wait_ms: number): void {
    clearTimeout(this.#timer);
    if (this.#closing.signal.aborted) return;
    this.#timer = setTimeout(() => this.#tick(), wait_ms).unref();
  }

  #tick(): void {
    const seen = Math.max(this.#lookedAt, this.#parts.lookedAt());
    if (this.#parts.clock.now().at - seen < LOOKED_WITHIN_MS) void this.collect();
    else this.#restFor(EVERY_MS);
  }
}

/** The fields before they are run: with the values from before, where there are any. */
function atFirst({ fields }: FoundTaskfile, before: MetadataFields): MetadataFields {
  const entries = nameFields(fields).map((each) => {
    const described = describedField(each, { value: null, error: NOT_COLLECTED });
    const known = before[each.name];
    return [each.name, known === undefined ? described : { ...known, schema: described.schema }] as const;
  });
  return Object.fromEntries(entries);
}
