import type { GitFacts } from '../../domain/agent.ts';
import type { Clock } from '../../domain/clock.ts';
import { FleetError } from '../../domain/values/errors.ts';
import type { Fact, FactBody } from '../../domain/fact.ts';
import type { Launch } from '../../domain/launch.ts';
import type { Actor } from '../../domain/principal.ts';
import { fold, needsHuman, type AgentState } from '../../domain/state.ts';
import type { Instant } from '../../domain/status.ts';
import { taskResult } from '../../domain/task-result.ts';
import type { LogLevel, LogType } from '../../domain/task.ts';
import type { ListedFields, MetadataFields } from '../../domain/metadata/taskfile-metadata.ts';
import { ALL_IN_ONE_FILE } from '../../platform/database/replace-database.ts';
import { JournalLog, LOG_CUT_KEY, NOTHING_CUT } from './journal-log.ts';
import { JournalReader } from './journal-reader.ts';
import { openJournalFile } from './journal-schema.ts';

export interface LogEntry {
  readonly at: string;
  readonly level: LogLevel;
  readonly type: LogType;
  readonly message: string;
  /** A `LogDetail` as JSON; absent for a plain line. */
  readonly detail?: string | null;
}

/** Facts that must survive a power cut before they are published. */
const DURABLE: ReadonlySet<FactBody['kind']> = new Set([
  'agent.created',
  'agent.deleting',
  'agent.restored',
  'agent.stopped',
  'task.accepted',
  'task.started',
  'task.ended',
]);

/** The journal of one agent, in the hands of the process that holds its lease. Facts are appended and never changed;
 *  the other tables are what they add up to, written in the same transaction. */
export class Journal extends JournalReader {
  readonly entries: JournalLog;
  readonly #clock: Clock;
  #state: AgentState;
  /** What this connection was last set to; a new one is as SQLite makes it. */
  #durable: boolean | undefined;
  #damage: FleetError | undefined;
  #tellOfDamage: (problem: FleetError) => void = () => {};
  #watchers: ((fact: Fact, before: AgentState, after: AgentState) => void)[] = [];

  constructor(file: string, clock: Clock) {
    super(openJournalFile(file));
    this.#clock = clock;
    try {
      this.#state = super.state();
      this.entries = new JournalLog(
        {
          statement: (sql) => this.statement(sql),
          meta: (key) => this.meta(key),
          setMeta: (key, value) => this.#setMeta(key, value),
          transaction: (work) => this.#transaction(false, work),
        },
        this.log({ page: 1, page_size: 1 }).total_count,
      );
    } catch (thrown) {
      this[Symbol.dispose]();
      throw thrown;
    }
  }

  override state(): AgentState {
    return this.#state;
  }

  /** Called for each fact after it is on disk, in order. */
  onFact(watcher: (fact: Fact, before: AgentState, after: AgentState) => void): void {
    this.#watchers.push(watcher);
  }

  /** Called once when the journal turns out to be damaged: nothing is written from then on. */
  onDamage(tell: (problem: FleetError) => void): void {
    this.#tellOfDamage = tell;
  }

  /** Writes facts in one transaction. */
  append(by: Actor, ...bodies: readonly FactBody[]): readonly Fact[] {
    const durable = bodies.some((body) => DURABLE.has(body.kind));
    const steps = this.#transaction(durable, () => {
      const done = bodies.map((body) => this.#write(by, body));
      this.#setMeta('state', this.#state);
      return done;
    });
    for (const { fact, before, after } of steps)
      for (const watcher of this.#watchers) watcher(fact, before, after);
    return steps.map(({ fact }) => fact);
  }

  /** Gives the room of what was dropped back to the disk. */
  compact(): void {
    this.database.exec('VACUUM');
  }

  /** Makes it one file, which can be put in another's place. */
  gather(): void {
    this.database.exec(ALL_IN_ONE_FILE);
  }

  /** Writes facts that were another journal's, as they were. What is appended then comes after `seq`. */
  restore(facts: readonly Fact[], seq: number, durable = true): void {
    this.#transaction(durable, () => {
      for (const fact of facts) this.#insert(fact);
      this.#state = { ...this.#state, seq: Math.max(this.#state.seq, seq) };
      this.#setMeta('state', this.#state);
      this.#setMeta('generation', this.#state.generation);
    });
  }

  setProgress(progress: Instant): void {
    this.#setMeta('progress', progress);
  }

  setGit(git: GitFacts | null): void {
    this.#setMeta('git', git);
  }

  /** What the agent's Taskfile says; without `fields` only the times are other ones. */
  setFields(fields: MetadataFields | null, listed: ListedFields): void {
    this.#transaction(false, () => {
      if (fields !== null) this.#setMeta('fields', fields);
      this.#setMeta('listed', listed);
    });
  }

  setRefusedWrites(notes: readonly string[]): void {
    this.#setMeta('refused_writes', notes);
  }

  setLaunch(launch: Launch, origin: unknown): void {
    this.#setMeta('launch', launch);
    this.#setMeta('origin', origin);
  }

  /** Takes the next generation number: every holder of the lease has its own. */
  nextGeneration(): number {
    const next = Number(this.meta('generation') ?? 0) + 1;
    this.#setMeta('generation', next);
    return next;
  }

  #write(by: Actor, body: FactBody): { fact: Fact; before: AgentState; after: AgentState } {
    const now = this.#clock.now();
    const before = this.#state;
    const fact: Fact = {
      seq: before.seq + 1,
      at: new Date(now.at).toISOString(),
      awake_ms: now.awake_ms,
      boot: now.boot,
      by,
      body,
    };
    this.#insert(fact);
    return { fact, before, after: this.#state };
  }

  #insert(fact: Fact): void {
    const { by, body } = fact;
    this.statement(
      'INSERT INTO facts (seq, at, awake_ms, boot, principal, door, body) VALUES (?, ?, ?, ?, ?, ?, ?)',
    ).run(fact.seq, fact.at, fact.awake_ms, fact.boot, by.principal, by.door, JSON.stringify(body));
    this.#project(fact);
    this.#state = fold(this.#state, fact);
  }

  #project(fact: Fact): void {
    const { body, at } = fact;
    switch (body.kind) {
      case 'task.accepted':
        this.#insertHistory(body.task_id, 'task', body.message, null, 0, at, 'queued', body.source, null);
        break;
      case 'task.started':
        this.statement(`UPDATE history SET state = 'running', started_at = ? WHERE id = ?`).run(
          at,
          body.task_id,
        );
        break;
      case 'task.ended':
        this.statement(
          'UPDATE history SET state = ?, finished_at = ?, attention = ?, result = ? WHERE id = ?',
        ).run(body.state, at, needsHuman(fact) ? 1 : 0, taskResult(body), body.task_id);
        break;
      case 'report': {
        const failed = body.state === 'failure';
        const state = failed ? 'failed' : 'complete';
        this.#insertHistory(
          body.report_id,
          'report',
          body.message,
          body.uri,
          failed ? 1 : 0,
          at,
          state,
          'agent',
          at,
        );
        break;
      }
      case 'usage':
        this.statement(
          'UPDATE history SET tokens = coalesce(tokens, 0) + ?, cost = coalesce(cost, 0) + ? WHERE id = ?',
        ).run(body.tokens, body.cost, this.#state.running?.id ?? null);
        break;
      case 'log.cut':
        this.#setMeta(LOG_CUT_KEY, NOTHING_CUT);
        break;
      case 'metadata.set':
        if (body.value === null) this.statement('DELETE FROM metadata WHERE key = ?').run(body.key);
        else this.statement('INSERT OR REPLACE INTO metadata VALUES (?, ?)').run(body.key, body.value);
        break;
      default:
        break;
    }
  }

  #insertHistory(...values: (string | number | null)[]): void {
    this.statement(
      `INSERT INTO history (id, kind, message, uri, attention, created_at, state, source, finished_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ).run(...values);
  }

  #setMeta(key: string, value: unknown): void {
    this.statement('INSERT OR REPLACE INTO meta VALUES (?, ?)').run(key, JSON.stringify(value));
  }

  #transaction<Result>(durable: boolean, work: () => Result): Result {
    if (this.#damage !== undefined) throw this.#damage;
    const state = this.#state;
    if (durable !== this.#durable) this.database.exec(`PRAGMA synchronous = ${durable ? 'FULL' : 'NORMAL'}`);
    this.#durable = durable;
    this.database.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.database.exec('COMMIT');
      return result;
    } catch (thrown) {
      this.#state = state;
      if (this.database.isTransaction) this.database.exec('ROLLBACK');
      if (thrown instanceof FleetError && thrown.details.reason === 'journal_corrupt') {
        this.#damage = thrown;
        this.#tellOfDamage(thrown);
      }
      throw thrown;
    }
  }
}
