import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../../domain/clock.ts';
import { takeLeaseWhile } from '../../../platform/database/lease.ts';
import { JournalReader } from '../../../runner/journal/journal-reader.ts';
import { JOURNAL_FILE } from '../../../runner/own-journal.ts';
import { publishJournal } from '../../../runner/journal/publisher.ts';
import { EventLog } from '../../../store/event-log.ts';
import type { Store } from '../../../store/store.ts';
import { StorePublisher } from '../../local/records/store-publisher.ts';
import type { AppReport } from './app-reports.ts';
import type { CoderRows } from './coder-rows.ts';
import { MirrorJournal } from './mirror-journal.ts';
import type { News } from './news-schema.ts';

export interface MirrorParts {
  readonly directory: string;
  readonly store: Store;
  readonly rows: CoderRows;
  readonly clock: Clock;
}

/** What the fleet has received of an agent, sent along so that the runner sends only the rest. */
export interface Heard {
  readonly seq: number;
  readonly log: number | null;
  readonly fields_at: string | null;
}

export interface MirroredAgent {
  readonly name: string;
  readonly workspace_id: string;
}

const MAX_WAIT_MS = 5_000;
const OPEN_LIMIT = 24;

/** Copies of the journals of workspaces, written by each process that receives news: they answer when the workspace does not. */
export class Mirror implements Disposable {
  readonly #parts: MirrorParts;
  readonly #open = new Map<string, JournalReader>();

  constructor(parts: MirrorParts) {
    this.#parts = parts;
  }

  heard(workspaceId: string, { log }: { readonly log: boolean }): Heard {
    return (
      this.read(workspaceId, (reader) => ({
        seq: reader.state().seq,
        log: log ? reader.lastLogId() : null,
        fields_at: reader.listed().changed_at,
      })) ?? { seq: 0, log: log ? 0 : null, fields_at: null }
    );
  }

  /** Undefined while nothing was received from the agent. */
  read<Result>(workspaceId: string, work: (reader: JournalReader) => Result): Result | undefined {
    const reader = this.#reader(workspaceId);
    return reader === undefined || reader.state().seq === 0 ? undefined : work(reader);
  }

  /** The reports that are not in the copy. */
  lacks(workspaceId: string, reports: readonly AppReport[]): readonly AppReport[] {
    if (reports.length === 0) return reports;
    const missing = this.read(workspaceId, (reader) =>
      reports.filter(({ report_id }) => reader.historyRow(report_id) === undefined),
    );
    return missing ?? reports;
  }

  async learn(agent: MirroredAgent, news: News): Promise<void> {
    // Another process that holds it writes the same.
    await this.write(agent, { lock_wait_ms: MAX_WAIT_MS, work: (journal) => journal.learn(news) });
    const made = news.checkpoints.map((each) => ({ ...each, kind: 'checkpoint' as const }));
    const { store } = this.#parts;
    if (made.length > 0) store.transaction(() => new EventLog(store).add(agent, made));
  }

  /** Writes into the copy and tells the fleet; undefined when somebody else has it in hands for too long. */
  async write<Result>(
    agent: MirroredAgent,
    { lock_wait_ms, work }: { lock_wait_ms: number; work(journal: MirrorJournal): Result | Promise<Result> },
  ): Promise<Result | undefined> {
    const { store, rows, clock } = this.#parts;
    const directory = this.#directory(agent.workspace_id);
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const until = performance.now() + lock_wait_ms;
    const lease = await takeLeaseWhile(join(directory, 'lease.db'), () => performance.now() < until);
    if (lease === undefined) return undefined;
    using _ = lease;
    using journal = new MirrorJournal(join(directory, JOURNAL_FILE), clock);
    // While somebody reads it, closing it does not mean to bring all of it to the disk.
    this.#reader(agent.workspace_id);
    try {
      const result = await work(journal);
      rows.setHeardAt(agent.workspace_id, new Date(clock.now().at).toISOString());
      return result;
    } finally {
      publishJournal({ journal, publisher: new StorePublisher(store, agent), clock });
    }
  }

  /** Puts the copy of a deleted agent where those of deleted agents are. */
  archive(workspaceId: string, directory: string): void {
    this.#close(workspaceId);
    const from = this.#directory(workspaceId);
    const to = join(directory, workspaceId);
    if (!existsSync(from) || existsSync(to)) return;
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    renameSync(from, to);
  }

  [Symbol.dispose](): void {
    for (const id of this.#open.keys()) this.#close(id);
  }

  /** The copies that were used last are kept open. */
  #reader(workspaceId: string): JournalReader | undefined {
    const file = join(this.#directory(workspaceId), JOURNAL_FILE);
    const known = existsSync(file) ? this.#open.get(workspaceId) : undefined;
    if (known === undefined) this.#close(workspaceId);
    const reader = known ?? JournalReader.open(file);
    if (reader === undefined) return undefined;
    this.#open.delete(workspaceId);
    this.#open.set(workspaceId, reader);
    const [oldest] = this.#open.keys();
    if (this.#open.size > OPEN_LIMIT && oldest !== undefined) this.#close(oldest);
    return reader;
  }

  #close(workspaceId: string): void {
    this.#open.get(workspaceId)?.[Symbol.dispose]();
    this.#open.delete(workspaceId);
  }

  #directory(workspaceId: string): string {
    return join(this.#parts.directory, workspaceId);
  }
}
