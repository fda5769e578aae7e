import { once } from 'node:events';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import type { Question } from '../domain/approval.ts';
import type { Clock } from '../domain/clock.ts';
import { FleetError } from '../domain/errors.ts';
import type { DriverFact, FactBody } from '../domain/fact.ts';
import type { Launch } from '../domain/launch.ts';
import { standingDecision } from '../domain/permission-rule.ts';
import { FLEET_ACTOR, type Actor } from '../domain/principal.ts';
import type { Cell } from '../platform/cell.ts';
import { appendPatiently, mayPass } from './append-patiently.ts';
import { joinSignals } from '../platform/join-signals.ts';
import type { Account, Driver, DriverSession, InjectedServer, TaskOutcome } from './driver.ts';
import { Interruption } from './interruption.ts';
import type { Journal } from './journal.ts';
import { LogWriter } from './log-writer.ts';
import { MetadataKeeper, type Refresh } from './metadata/metadata-keeper.ts';
import { Herald } from './herald.ts';
import { Questions, type Reply } from './questions.ts';
import { summaryOf, type Publisher } from './publisher.ts';
import type {
  Accepted,
  AcceptRequest,
  AnswerRequest,
  Canceled,
  CancelRequest,
  ReportRequest,
  RunnerClient,
} from './runner-client.ts';
import { integer, type Fields } from './shapes.ts';
import { checkOnline, TaskDesk } from './task-desk.ts';
import type { Admission, Workspace } from './workspace.ts';

export interface RunnerParts {
  readonly journal: Journal;
  readonly launch: Launch;
  readonly version: string;
  readonly driver: Driver;
  readonly workspace: Workspace;
  readonly admission: Admission;
  readonly publisher: Publisher;
  readonly clock: Clock;
  /** The whole environment of the agent. */
  readonly env: Readonly<Record<string, string>>;
  readonly cell: Cell | null;
  readonly servers: readonly InjectedServer[];
  readonly account: Account;
  /** When somebody last looked at the fleet, by the wall clock. */
  lookedAt(): number;
}

/** How a runner is asked to end. */
export type EndKind = 'stop' | 'restart' | 'delete';

/** How long an answer waits for what it started, so that it can tell the outcome. */
const ANSWER_WITHIN_MS = 3_600_000;
const SETTLE_MS = 2_000;
const START_MS = 200;
const GIT_LIMIT_MS = 2_000;
const DELETE_STEP_MS = 500;

/** Beside one agent: owns its program and its truth. Every fact is in the journal before anybody hears of it. */
export class Runner implements RunnerClient {
  readonly #parts: RunnerParts;
  readonly #desk: TaskDesk;
  readonly #log: LogWriter;
  readonly #herald: Herald;
  readonly #questions: Questions;
  readonly #metadata: MetadataKeeper;
  readonly #wake = new EventTarget();
  readonly #ending = new AbortController();
  #endKind: { kind: EndKind; by: Actor } | undefined;
  #asleep = false;
  #gone = false;
  #task: { id: string; abort: AbortController } | undefined;

  constructor(parts: RunnerParts) {
    this.#parts = parts;
    this.#desk = new TaskDesk(parts.journal);
    this.#herald = new Herald(parts);
    this.#log = new LogWriter(parts.journal, parts.clock, () => this.#herald.publishProgress());
    this.#questions = new Questions({
      journal: parts.journal,
      clock: parts.clock,
      asker: { principal: `agent:${parts.launch.name}`, door: 'self' },
      workspace_id: parts.launch.workspace_id,
      answer_within_ms: parts.launch.answer_within_ms ?? ANSWER_WITHIN_MS,
      changed: () => this.#herald.publish(),
    });
    this.#metadata = new MetadataKeeper({
      journal: parts.journal,
      clock: parts.clock,
      place: { launch: parts.launch, directory: parts.workspace.directory, env: parts.env, cell: parts.cell },
      lookedAt: () => parts.lookedAt(),
      changed: (names) => this.#herald.publishFields(names),
      complain: (problem) => this.#log.write('WARN', 'system', `the Taskfile cannot be loaded: ${problem}`),
    });
    parts.journal.onFact(() => this.#wake.dispatchEvent(new Event('fact')));
  }

  /** Says in the journal that this runner has the agent now. */
  begin(): void {
    const { journal, version } = this.#parts;
    const generation = journal.nextGeneration();
    journal.append(FLEET_ACTOR, { kind: 'runner.started', generation, pid: process.pid, version });
    this.#herald.publish();
  }

  /** Lives until the agent sleeps or is asked to end. */
  async run(): Promise<void> {
    try {
      await this.#live();
    } finally {
      await this.#metadata[Symbol.asyncDispose]();
      this.#log.settle();
      this.#herald.close();
      this.#gone = true;
    }
  }

  /** Tells the fleet again what it may not have heard. */
  publish(): void {
    this.#herald.publish();
  }

  async accept(request: AcceptRequest): Promise<Accepted> {
    this.#checkHere();
    if (this.#parts.journal.historyRow(request.task_id) === undefined) {
      // Offline for good is told at once; only what will be back soon is worth asking again.
      checkOnline(this.#parts.journal.state());
      this.#checkAwake();
    }
    const task = this.#desk.accept(request);
    const { running } = this.#parts.journal.state();
    if (running?.cancel_requested === true) this.#interrupt(new Interruption());
    this.#herald.publish();
    await this.#until(() => !this.#isNext(task.id), START_MS);
    return { task: this.#desk.row(task.id), state: this.#parts.journal.state() };
  }

  async cancel(request: CancelRequest): Promise<Canceled> {
    this.#checkAwake();
    const { task, interrupt } = this.#desk.cancel(request);
    if (interrupt) {
      this.#interrupt(new Interruption());
      await this.#until(() => this.#parts.journal.state().running?.id !== task.id, SETTLE_MS);
    }
    this.#herald.publish();
    return { task: this.#desk.row(task.id), interrupt_sent: interrupt, state: this.#parts.journal.state() };
  }

  async report(request: ReportRequest): Promise<{ recorded_at: string }> {
    this.#checkAwake();
    const recorded_at = this.#desk.report(request);
    this.#log.touch();
    this.#herald.publish();
    return { recorded_at };
  }

  async setMetadata({ key, value, by }: { key: string; value: string | null; by: Actor }): Promise<void> {
    this.#checkAwake();
    this.#desk.setMetadata(key, value, by);
    this.#herald.publish();
  }

  async answer(request: AnswerRequest): Promise<void> {
    this.#checkAwake();
    this.#desk.answer(request);
    this.#herald.publish();
  }

  async acknowledge({ by }: { by: Actor }): Promise<void> {
    this.#checkAwake();
    if (this.#parts.journal.state().parked !== null) this.#parts.account.release();
    this.#desk.acknowledge(by);
    this.#herald.publish();
  }

  /** Somebody looks: what the Taskfile says is made new, as far as there is time. */
  async refresh(request: Refresh): Promise<void> {
    if (this.#parts.journal.state().phase === 'ready') await this.#metadata.refresh(request);
  }

  /** What the agent may see of itself. */
  details(): object {
    this.#checkHere();
    const { journal, launch } = this.#parts;
    this.#log.flush();
    return {
      ...summaryOf(journal),
      metadata: journal.metadata(),
      fields: journal.fields(),
      launch: { ...launch, env: {} },
    };
  }

  page(table: 'history' | 'log', fields: Fields): object {
    this.#checkHere();
    this.#log.flush();
    return this.#parts.journal[table]({
      page: integer(fields, 'page'),
      page_size: integer(fields, 'page_size'),
    });
  }

  /** Asks the runner to end; it answers at once and ends when its task has. */
  end(kind: EndKind, by: Actor): void {
    this.#checkAwake();
    if (kind === 'stop') this.#parts.journal.append(by, { kind: 'agent.stop_requested' });
    if (kind === 'delete') this.#parts.journal.append(by, { kind: 'agent.deleting' });
    this.#endKind = { kind, by };
    this.#herald.publish();
    this.#ending.abort();
    this.#interrupt(kind === 'delete' ? new Interruption(DELETE_STEP_MS) : new Interruption());
  }

  async #live(): Promise<void> {
    const { driver, launch, workspace, env, cell, journal, servers, account } = this.#parts;
    const session = await this.#start(() =>
      driver.open({
        launch,
        directory: workspace.directory,
        env,
        cell,
        ask: (question, signal) => this.#ask(question, signal),
        asks: () => journal.state().approvals.length > 0,
        session: journal.state().session,
        servers,
        account,
        spent: () => journal.state().usage ?? { tokens: 0, cost: 0 },
        lastSign: () => this.#log.lastSign,
        sink: {
          log: (level, type, message) => this.#log.write(level, type, message),
          progress: () => this.#log.touch(),
          fact: (fact) => this.#learn(fact),
        },
      }),
    );
    if (session !== undefined) {
      await using _ = session;
      await this.#work(session);
    }
    await this.#recordEnd();
  }

  /** From wherever the agent is to ready; undefined when it failed or was asked to end on the way. */
  async #start(open: () => Promise<DriverSession>): Promise<DriverSession | undefined> {
    const { journal, admission, workspace } = this.#parts;
    const { signal } = this.#ending;
    try {
      // Also one that only wakes up takes a turn: many may be woken at once.
      using _turn = await admission.enter(signal);
      if (journal.state().phase === 'ready') return await open();
      await this.#say({ kind: 'agent.admitted' });
      this.#herald.publish();
      const made = await workspace.prepare(
        (level, message) => this.#log.write(level, 'system', message),
        signal,
      );
      signal.throwIfAborted();
      await this.#say({ kind: 'agent.workspace_made', ...made });
      const session = await open();
      await this.#say({ kind: 'agent.ready' });
      this.#herald.publish();
      void this.#lookAtGit();
      void this.#metadata.collect();
      return session;
    } catch (thrown) {
      if (signal.aborted) return undefined;
      const reason = thrown instanceof Error ? thrown.message : String(thrown);
      this.#log.write('ERROR', 'system', reason);
      this.#log.flush();
      await this.#say({ kind: 'agent.start_failed', reason });
      return undefined;
    }
  }

  async #work(session: DriverSession): Promise<void> {
    const { journal, launch } = this.#parts;
    while (!this.#ending.signal.aborted) {
      const { running, queue } = journal.state();
      const next = running?.id ?? queue[0];
      if (next !== undefined) {
        await this.#runTask(session, next);
        continue;
      }
      const woken = await this.#until(
        () => journal.state().queue.length > 0 || this.#ending.signal.aborted,
        launch.sleep_after_ms,
      );
      if (woken) continue;
      await this.#metadata.settled();
      this.#log.flush();
      if (journal.state().queue.length === 0 && this.#sleep()) return;
    }
  }

  async #runTask(session: DriverSession, id: string): Promise<void> {
    const { journal } = this.#parts;
    const { message } = this.#desk.row(id);
    const abort = new AbortController();
    this.#task = { id, abort };
    const resumed = journal.state().running?.id === id;
    if (!resumed) this.#log.write('INFO', 'input', message);
    await appendPatiently(journal, () => {
      if (resumed) return { by: FLEET_ACTOR, body: { kind: 'task.resumed', task_id: id } };
      return journal.state().queue.includes(id)
        ? { by: FLEET_ACTOR, body: { kind: 'task.started', task_id: id, message } }
        : undefined;
    });
    if (journal.state().running?.id !== id) {
      // It was canceled before that could be written.
      this.#task = undefined;
      return;
    }
    this.#herald.publish();
    const outcome = await session.run({ id, message, resumed }, abort.signal).catch((thrown: unknown) => ({
      state: 'failed' as const,
      reason: thrown instanceof Error ? thrown.message : String(thrown),
    }));
    this.#task = undefined;
    const end = this.#endOf(outcome);
    if (end.state !== 'complete')
      this.#log.write(end.state === 'failed' ? 'ERROR' : 'WARN', 'system', end.reason);
    this.#log.settle();
    await appendPatiently(journal, () => ({
      by: end.by,
      body: {
        kind: 'task.ended',
        task_id: id,
        state: end.state,
        reason: end.reason,
        ...('exit_code' in outcome && outcome.exit_code !== undefined
          ? { exit_code: outcome.exit_code }
          : {}),
      },
    }));
    // What could not be written while the end could not.
    this.#log.settle();
    // Whoever waits for a cancel is answered before git is started, which takes a while.
    await nextTurn();
    // The fleet hears of the end when it can hear of what became of the branch.
    await Promise.race([this.#lookAtGit(), delay(GIT_LIMIT_MS, undefined, { ref: false })]);
    this.#herald.publish();
    void this.#metadata.collect();
  }

  /** How a task ended: by its own outcome, unless somebody asked for its end. */
  #endOf(outcome: TaskOutcome) {
    const cancel = this.#parts.journal.state().running?.cancel_requested === true;
    if (this.#endKind?.kind === 'delete') {
      return { state: 'canceled', reason: 'the agent was deleted', by: this.#endKind.by } as const;
    }
    if (cancel) return { state: 'canceled', reason: 'canceled on request', by: FLEET_ACTOR } as const;
    if (this.#endKind !== undefined) {
      const { kind, by } = this.#endKind;
      return {
        state: 'interrupted',
        reason: `interrupted: ${kind} was asked for by ${by.principal}`,
        by,
      } as const;
    }
    return { ...outcome, by: FLEET_ACTOR };
  }

  async #recordEnd(): Promise<void> {
    if (this.#endKind === undefined) return;
    const { kind, by } = this.#endKind;
    switch (kind) {
      case 'stop':
        return this.#say({ kind: 'agent.stopped' }, by);
      case 'restart':
        return this.#say({ kind: 'agent.restart_requested' }, by);
      case 'delete':
        this.#desk.cancelQueue(by);
        return this.#say({ kind: 'runner.slept' });
    }
  }

  /** False when that cannot be written now: then it stays awake. */
  #sleep(): boolean {
    this.#asleep = true;
    try {
      this.#parts.journal.append(FLEET_ACTOR, { kind: 'runner.slept' });
    } catch (thrown) {
      if (!mayPass(thrown)) throw thrown;
      this.#asleep = false;
    }
    return this.#asleep;
  }

  /** A step of the runner's own course. */
  #say(body: FactBody, by: Actor = FLEET_ACTOR): Promise<void> {
    return appendPatiently(this.#parts.journal, () => ({ by, body }));
  }

  #interrupt(reason: Interruption): void {
    this.#task?.abort.abort(reason);
  }

  /** What the role says for such a case counts as an answer. */
  async #ask(question: Question, signal: AbortSignal): Promise<Reply> {
    const decision = standingDecision(this.#parts.launch.permissions ?? [], question);
    if (decision === undefined) return await this.#questions.ask(question, signal);
    this.#log.write('INFO', 'system', `${question.tool}: ${decision} by a rule of the role`);
    return { decision, option: null, answer: null, note: null };
  }

  #learn(fact: DriverFact): void {
    this.#parts.journal.append({ principal: `agent:${this.#parts.launch.name}`, door: 'self' }, fact);
    this.#log.touch();
  }

  /** Waits until something holds, looking at each fact; false when time was up first. */
  async #until(holds: () => boolean, timeout_ms: number): Promise<boolean> {
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), timeout_ms);
    using joined = joinSignals(timeout.signal, this.#ending.signal);
    try {
      while (!holds()) {
        if (timeout.signal.aborted) return false;
        await once(this.#wake, 'fact', { signal: joined.signal }).catch(() => {});
        if (this.#ending.signal.aborted && !holds()) await delay(20);
      }
      return true;
    } finally {
      clearTimeout(timer);
    }
  }

  async #lookAtGit(): Promise<void> {
    try {
      this.#parts.journal.setGit(await this.#parts.workspace.git());
      this.#herald.publish();
    } catch {
      // Facts about the branch are a courtesy: the agent is as well without them.
    }
  }

  /** A task that nothing is in front of is about to start. */
  #isNext(id: string): boolean {
    const { phase, running, queue } = this.#parts.journal.state();
    return phase === 'ready' && running === null && queue[0] === id;
  }

  #checkAwake(): void {
    this.#checkHere();
    if (this.#asleep || this.#endKind !== undefined) throw leaving();
  }

  /** A request may come when all is said and the journal is given away. */
  #checkHere(): void {
    if (this.#gone) throw leaving();
  }
}

function leaving(): FleetError {
  return new FleetError('SERVICE_UNAVAILABLE', 'The runner is just going away; ask again.', {
    reason: 'runner_leaving',
  });
}
