import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { GitFacts } from '../../domain/agent.ts';
import type { Approval, Question } from '../../domain/approvals/approval.ts';
import type { Fact, FactKind } from '../../domain/fact.ts';
import type { Launch } from '../../domain/launch.ts';
import { rowsOfPage, type Page } from '../../domain/values/paging.ts';
import { stateOf, type AgentState, type OpenApproval } from '../../domain/state.ts';
import type { Instant } from '../../domain/status.ts';
import type { DetailedLogRow, HistoryRow, LogRequest, LogRow } from '../../domain/task.ts';
import {
  NO_FIELDS,
  type ListedFields,
  type MetadataFields,
} from '../../domain/metadata/taskfile-metadata.ts';
import { detailedLogOfRow, factOfRow, historyOfRow, logOfRow } from './journal-rows.ts';
import { openJournalToRead } from './journal-schema.ts';
import type { LogSize } from './log-buffer.ts';

/** How many entries a call may be apart from its end to be found. */
const CALL_ENTRIES = 5_000;

/** Rows after a number and up to another. */
export interface Span {
  readonly after: number;
  readonly upTo: number;
  readonly last: boolean;
  readonly limit: number;
}

/** Reads a journal where it lies, also while its runner writes. */
export class JournalReader implements Disposable {
  protected readonly database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.database = database;
  }

  static open(file: string): JournalReader | undefined {
    const database = openJournalToRead(file);
    return database === undefined ? undefined : new JournalReader(database);
  }

  /** False when a part of it cannot be read. */
  isSound(): boolean {
    try {
      return this.statement('PRAGMA quick_check(1)').get()?.['quick_check'] === 'ok';
    } catch {
      return false;
    }
  }

  /** What all facts so far add up to. */
  state(): AgentState {
    return stateOf(this.#json<AgentState>('state') ?? {});
  }

  progress(): Instant | undefined {
    return this.#json<Instant>('progress');
  }

  git(): GitFacts | null {
    return this.#json<GitFacts>('git') ?? null;
  }

  /** The fields of the agent's Taskfile, whole. */
  fields(): MetadataFields {
    return this.#json<MetadataFields>('fields') ?? {};
  }

  /** A sentence for each write that the sandbox refused since the runner was started. */
  refusedWrites(): readonly string[] {
    return this.#json<string[]>('refused_writes') ?? [];
  }

  listed(): ListedFields {
    return this.#json<ListedFields>('listed') ?? NO_FIELDS;
  }

  launch(): Launch | undefined {
    return this.#json<Launch>('launch');
  }

  /** What only its backend understands: written when the agent was made, for rebuilding the store. */
  origin(): unknown {
    return this.#json('origin');
  }

  metadata(): Record<string, string> {
    const rows = this.statement('SELECT key, value FROM metadata ORDER BY key').all();
    return Object.fromEntries(rows.map((row) => [String(row['key']), String(row['value'])]));
  }

  facts(): readonly Fact[] {
    return this.factsAfter(0);
  }

  factsAfter(seq: number): readonly Fact[] {
    return this.statement('SELECT * FROM facts WHERE seq > ? ORDER BY seq').all(seq).map(factOfRow);
  }

  /** The questions that are open, whole. */
  approvals(agent_name: string): readonly Approval[] {
    return this.state().approvals.flatMap((open) => {
      const question = this.question(open);
      const { id, asked_at, expires_at } = open;
      return question === undefined
        ? []
        : [{ ...question, id, agent_name, asked_at, expires_at, asked_by: `agent:${agent_name}` }];
    });
  }

  /** The whole of a question that is open. */
  question({ seq }: OpenApproval): Question | undefined {
    const [fact] = this.database.prepare('SELECT * FROM facts WHERE seq = ?').all(seq).map(factOfRow);
    return fact?.body.kind === 'approval.asked' ? fact.body.question : undefined;
  }

  history(page: Page): { rows: HistoryRow[]; total_count: number } {
    return this.#page('history', 'n', page, historyOfRow);
  }

  log({ search, ...page }: LogRequest): { rows: LogRow[]; total_count: number } {
    return search === undefined
      ? this.#page('log', 'id', page, logOfRow)
      : this.#logPageWith(search.toLowerCase(), page);
  }

  /** SQLite ignores the case of ASCII letters alone, so the texts are compared here. */
  #logPageWith(search: string, { page, page_size }: Page): { rows: LogRow[]; total_count: number } {
    const from = (page - 1) * page_size;
    const ids: number[] = [];
    let total_count = 0;
    for (const { id, message } of this.statement('SELECT id, message FROM log ORDER BY id DESC').iterate()) {
      if (!String(message).toLowerCase().includes(search)) continue;
      if (total_count >= from && ids.length < page_size) ids.push(Number(id));
      total_count++;
    }
    const rows = this.statement(
      'SELECT * FROM log WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id DESC',
    );
    return { rows: rows.all(JSON.stringify(ids)).map(logOfRow), total_count };
  }

  /** Entries of the log after one, oldest first, and the number of the oldest that is still there. */
  logAfter(id: number, limit: number): { first: number; rows: DetailedLogRow[] } {
    const rows = this.statement('SELECT * FROM log WHERE id > ? ORDER BY id LIMIT ?').all(id, limit);
    return { first: Number(this.#edge('log', 'id', 'min') ?? 0), rows: rows.map(detailedLogOfRow) };
  }

  /** Entries of the log within some numbers: the first of them in order, or the last from the newest on. */
  logWithin({ after, upTo, last, limit }: Span): DetailedLogRow[] {
    const order = last ? 'DESC' : 'ASC';
    const rows = this.statement(`SELECT * FROM log WHERE id > ? AND id <= ? ORDER BY id ${order} LIMIT ?`);
    return rows.all(after, upTo, limit).map(detailedLogOfRow);
  }

  /** The same of facts of some kinds. */
  factsWithin({ after, upTo, last, limit }: Span, kinds: readonly FactKind[]): Fact[] {
    const marks = kinds.map(() => '?').join(', ');
    const facts = this.statement(
      `SELECT * FROM facts WHERE seq > ? AND seq <= ? AND body ->> 'kind' IN (${marks})
       ORDER BY seq ${last ? 'DESC' : 'ASC'} LIMIT ?`,
    );
    return facts.all(after, upTo, ...kinds, limit).map(factOfRow);
  }

  /** The question that a later fact is about. */
  askedFor(approval_id: string, before: number): Fact | undefined {
    const row = this.statement(
      `SELECT * FROM facts WHERE seq < ? AND body ->> 'kind' = 'approval.asked' AND body ->> 'approval_id' = ?
       ORDER BY seq DESC LIMIT 1`,
    ).get(before, approval_id);
    return row === undefined ? undefined : factOfRow(row);
  }

  /** The entry of the log with the beginning of a call, if it is not long before. */
  openedCall(id: string, before: number): DetailedLogRow | undefined {
    const row = this.statement(
      `SELECT * FROM log WHERE id < ? AND id >= ? AND detail ->> 'of' = 'call' AND detail ->> 'id' = ?
       ORDER BY id DESC LIMIT 1`,
    ).get(before, before - CALL_ENTRIES, id);
    return row === undefined ? undefined : detailedLogOfRow(row);
  }

  lastLogId(): number {
    return Number(this.#edge('log', 'id', 'max') ?? 0);
  }

  /** How much of the log was written before a time. */
  logSizeBefore(time: string): LogSize {
    const row = this.statement(
      'SELECT count(*) AS entries, coalesce(sum(octet_length(message)), 0) AS bytes FROM log WHERE at < ?',
    ).get(time);
    return { entries: Number(row?.['entries']), bytes: Number(row?.['bytes']) };
  }

  historyRow(id: string): HistoryRow | undefined {
    const row = this.statement('SELECT * FROM history WHERE id = ?').get(id);
    return row === undefined ? undefined : historyOfRow(row);
  }

  [Symbol.dispose](): void {
    if (this.database.isOpen) this.database.close();
  }

  /** Prepared once: a runner writes the same few things over and over. */
  protected statement(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  protected meta(key: string): string | undefined {
    const row = this.statement('SELECT value FROM meta WHERE key = ?').get(key);
    return row === undefined ? undefined : String(row['value']);
  }

  #json<Value>(key: string): Value | undefined {
    const text = this.meta(key);
    return text === undefined ? undefined : (JSON.parse(text) as Value);
  }

  /** Rows are numbered densely, so a page is found by its numbers and the cost does not grow with the table. */
  #page<Row>(
    table: 'history' | 'log',
    number: 'n' | 'id',
    page: Page,
    map: (row: Record<string, unknown>) => Row,
  ) {
    const first = Number(this.#edge(table, number, 'min') ?? 1);
    const last = Number(this.#edge(table, number, 'max') ?? 0);
    const total_count = last - first + 1;
    const wanted = rowsOfPage(page, first, total_count);
    if (wanted === undefined) return { rows: [], total_count };
    const rows = this.statement(
      `SELECT * FROM ${table} WHERE ${number} BETWEEN ? AND ? ORDER BY ${number} DESC`,
    ).all(wanted.to, wanted.from);
    return { rows: rows.map(map), total_count };
  }

  #edge(table: string, number: string, edge: 'min' | 'max'): unknown {
    return this.statement(`SELECT ${edge}(${number}) AS edge FROM ${table}`).get()?.['edge'];
  }
}
