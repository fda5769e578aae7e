import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { checkBudget, type BudgetUse } from '../domain/budget.ts';
import { FleetError } from '../domain/values/errors.ts';
import type { DriverFact, FactBody } from '../domain/fact.ts';
import { FLEET_ACTOR, type Actor } from '../domain/principal.ts';
import { makeRedact, type Redact } from '../domain/values/redact.ts';
import { joinSignals } from '../platform/join-signals.ts';
import { CheckRuns } from './checks/check-runs.ts';
import { appendWithRetry, mayPass } from './journal/append-with-retry.ts';
import type { DriverSession, DriverSink } from './programs/driver.ts';
import { GitLooks } from './git-looks.ts';
import { StatePublisher } from './state-publisher.ts';
import { Interruption } from './programs/interruption.ts';
import { LogWriter } from './journal/log-writer.ts';
import { MetadataKeeper } from './metadata/metadata-keeper.ts';
import { Questions } from './programs/questions.ts';
import { ReadOnlyNotes } from './read-only-notes.ts';
import type { Ending, RunnerParts } from './runner-parts.ts';
import { TaskCommands } from './task-commands.ts';
import { TaskRun } from './task-run.ts';

const DELETE_STEP_MS = 500;

/** The course of one agent: from wherever it is to ready, through its tasks, to its sleep or its end. */
export class RunnerLife {
  readonly commands: TaskCommands;
  readonly log: LogWriter;
  readonly statePublisher: StatePublisher;
  readonly metadata: MetadataKeeper;
  readonly git: GitLooks;
  readonly checks: CheckRuns;
  readonly #parts: RunnerParts;
  readonly #questions: Questions;
  readonly #tasks: TaskRun;
  readonly #readOnly: ReadOnlyNotes;
  readonly #redact: Redact;
  readonly #wake = new EventTarget();
  readonly #ending = new AbortController();
  #asked: Ending | undefined;
  #between: Promise<unknown> = Promise.resolve();
  #asleep = false;
  #gone = false;

  constructor(parts: RunnerParts) {
    this.#parts = parts;
    this.#readOnly = new ReadOnlyNotes(parts);
    this.#redact = makeRedact(parts.secrets ?? []);
    this.commands = new TaskCommands(parts.journal);
    this.statePublisher = new StatePublisher({
      ...parts,
      complain: (problem) => this.#write('ERROR', 'system', problem),
    });
    this.log = new LogWriter(parts.journal, parts.clock, () => this.statePublisher.publishProgress());
    this.#questions = new Questions({
      journal: parts.journal,
      clock: parts.clock,
      asker: { principal: `agent:${parts.launch.name}`, door: 'self' },
      launch: parts.launch,
      ruled: (what) => this.log.write('INFO', 'system', what),
    });
    this.metadata = new MetadataKeeper({
      journal: parts.journal,
      clock: parts.clock,
      place: { launch: parts.launch, directory: parts.workspace.directory, env: parts.env, cell: parts.cell },
      lookedAt: () => parts.lookedAt(),
      changed: (names) => this.statePublisher.publishFields(names),
      complain: (problem) => this.log.write('WARN', 'system', `the Taskfile cannot be loaded: ${problem}`),
    });
    this.git = new GitLooks({
      journal: parts.journal,
      clock: parts.clock,
      workspace: parts.workspace,
      lastSign: () => this.log.lastSign,
      lookedAt: () => parts.lookedAt(),
      changed: () => this.statePublisher.publish(),
      log: (level, message) => this.log.write(level, 'system', message),
    });
    this.checks = new CheckRuns({
      journal: parts.journal,
      launch: parts.launch,
      checker: parts.checker,
      look: () => this.git.look(),
      log: (level, message) => this.log.write(level, 'system', message),
    });
    this.#tasks = new TaskRun({
      journal: parts.journal,
      commands: this.commands,
      log: this.log,
      statePublisher: this.statePublisher,
      metadata: this.metadata,
      git: this.git,
      workspace: parts.workspace,
      ending: () => this.#asked,
      redact: this.#redact,
      completed: () => this.checks.afterTask(),
    });
    parts.journal.onFact(() => this.#wake.dispatchEvent(new Event('fact')));
  }

  /** Lives until the agent sleeps or is asked to end. */
  async run(): Promise<void> {
    try {
      await this.#live();
    } finally {
      await this.checks[Symbol.asyncDispose]();
      await this.metadata[Symbol.asyncDispose]();
      this.log.settle();
      this.statePublisher.close();
      this.#gone = true;
    }
  }

  /** Asks it to end; it does when its task has. */
  end(asked: Ending): void {
    this.#asked = asked;
    this.#ending.abort();
    this.checks.abort();
    this.interrupt(asked.kind === 'delete' ? new Interruption(DELETE_STEP_MS) : new Interruption());
  }

  /** Does something while no task runs; tasks that are accepted meanwhile wait for it. */
  async betweenTasks<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = await this.#inTurn(work);
    void this.git.look();
    return result;
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#between.then(work, work);
    this.#between = done.catch(() => {});
    return done;
  }

  interrupt(reason: Interruption): void {
    this.#tasks.interrupt(reason);
  }

  checkAwake(): void {
    this.checkHere();
    if (this.#asleep || this.#asked !== undefined) throw leaving();
  }

  /** A request may come when all is said and the journal is given away. */
  checkHere(): void {
    if (this.#gone) throw leaving();
  }

  /** Waits until something holds, looking at each fact; false when time was up first. */
  async until(holds: () => boolean, timeout_ms: number): Promise<boolean> {
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

  async #live(): Promise<void> {
    const { driver, launch, workspace, env, cell, journal, servers, account } = this.#parts;
    const session = await this.#start(() =>
      driver.open({
        launch,
        directory: workspace.directory,
        env,
        cell,
        ask: (question, signal) => this.#questions.ask(question, signal),
        asks: () => journal.state().approvals.length > 0,
        session: journal.state().session,
        servers,
        account,
        spent: () => this.#spentByTask(),
        lastSign: () => this.log.lastSign,
        sink: {
          log: (...entry) => this.#write(...entry),
          progress: () => this.log.touch(),
          fact: (fact) => this.#learn(fact),
        },
      }),
    );
    if (session !== undefined) {
      await using _ = session;
      this.checks.resume();
      await this.#work(session);
    }
    await this.#between;
    await this.#recordEnd();
  }

  /** From wherever the agent is to ready; undefined when it failed or was asked to end on the way. */
  async #start(open: () => Promise<DriverSession>): Promise<DriverSession | undefined> {
    const { journal, admission, workspace } = this.#parts;
    const { signal } = this.#ending;
    try {
      // Also one that only wakes up takes a turn: many may be woken at once.
      using turn = await admission.enter(signal, workspace.setsUp());
      await this.#inTurn(async () =>
        workspace.finishUpdate?.((made) => this.statePublisher.publishCheckpoint(made)),
      );
      if (journal.state().phase === 'ready') return await open();
      await this.#say({ kind: 'agent.admitted' });
      const made = await workspace.prepare(
        (level, message) => this.#write(level, 'system', message),
        signal,
        turn,
      );
      signal.throwIfAborted();
      await this.#say({ kind: 'agent.workspace_made', ...made });
      const session = await open();
      await this.#say({ kind: 'agent.ready' });
      void this.git.look();
      void this.metadata.collect();
      return session;
    } catch (thrown) {
      if (signal.aborted) return undefined;
      const reason = textOf(thrown);
      this.log.write('ERROR', 'system', reason);
      this.log.flush();
      await this.#say({ kind: 'agent.start_failed', reason });
      return undefined;
    }
  }

  async #work(session: DriverSession): Promise<void> {
    const { journal, launch } = this.#parts;
    while (!this.#ending.signal.aborted) {
      this.#refuseOverBudget();
      const { running, queue } = journal.state();
      const next = running?.id ?? queue[0];
      if (next !== undefined) {
        await this.#between;
        await this.#tasks.run(session, next);
        continue;
      }
      const woken = await this.until(
        () => journal.state().queue.length > 0 || this.#ending.signal.aborted,
        launch.sleep_after_ms,
      );
      if (woken || this.checks.isRunning) continue;
      await this.#between;
      await this.metadata.settled();
      this.log.flush();
      if (journal.state().queue.length === 0 && this.#sleep()) return;
    }
  }

  /** No task runs on a budget that an earlier one has gone over. */
  #refuseOverBudget(): void {
    const { launch, journal } = this.#parts;
    const { queue, over_budget } = journal.state();
    if (queue.length === 0) return;
    try {
      checkBudget(launch.budget ?? {}, over_budget, launch);
    } catch (thrown) {
      this.commands.endQueue(FLEET_ACTOR, {
        state: 'failed',
        reason: `budget: not started. ${textOf(thrown)}`,
      });
    }
  }

  #spentByTask(): BudgetUse {
    const { running } = this.#parts.journal.state();
    const row = running === null ? undefined : this.#parts.journal.historyRow(running.id);
    return { tokens: row?.tokens ?? 0, cost: row?.cost ?? 0 };
  }

  async #recordEnd(): Promise<void> {
    if (this.#asked === undefined) return;
    const { kind, by } = this.#asked;
    switch (kind) {
      case 'stop':
        return this.#say({ kind: 'agent.stopped' }, by);
      case 'restart':
        return this.#say({ kind: 'agent.restart_requested' }, by);
      case 'delete':
        this.commands.cancelQueue(by);
        return this.#say({ kind: 'runner.slept' });
    }
  }

  /** What a program printed, and what may help when it was refused. */
  #write(...[level, type, message, detail]: Parameters<DriverSink['log']>): void {
    const kept = detail === undefined ? undefined : this.#redact(JSON.stringify(detail));
    this.log.write(level, type, this.#redact(message), kept);
    const note = this.#readOnly.of(message);
    if (note !== undefined) this.log.write('WARN', 'system', note);
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
    return appendWithRetry(this.#parts.journal, () => ({ by, body }));
  }

  #learn(fact: DriverFact): void {
    this.#parts.journal.append({ principal: `agent:${this.#parts.launch.name}`, door: 'self' }, fact);
    this.log.touch();
  }
}

function textOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

function leaving(): FleetError {
  return new FleetError('SERVICE_UNAVAILABLE', 'The runner is shutting down; retry.', {
    reason: 'runner_leaving',
  });
}
