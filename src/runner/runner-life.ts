import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { FleetError } from '../domain/errors.ts';
import type { DriverFact, FactBody } from '../domain/fact.ts';
import { FLEET_ACTOR, type Actor } from '../domain/principal.ts';
import { joinSignals } from '../platform/join-signals.ts';
import { appendPatiently, mayPass } from './append-patiently.ts';
import type { DriverSession } from './driver.ts';
import { Herald } from './herald.ts';
import { Interruption } from './interruption.ts';
import { LogWriter } from './log-writer.ts';
import { MetadataKeeper } from './metadata/metadata-keeper.ts';
import { Questions } from './questions.ts';
import type { Ending, RunnerParts } from './runner-parts.ts';
import { TaskDesk } from './task-desk.ts';
import { TaskRun } from './task-run.ts';

const DELETE_STEP_MS = 500;

/** The course of one agent: from wherever it is to ready, through its tasks, to its sleep or its end. */
export class RunnerLife {
  readonly desk: TaskDesk;
  readonly log: LogWriter;
  readonly herald: Herald;
  readonly metadata: MetadataKeeper;
  readonly #parts: RunnerParts;
  readonly #questions: Questions;
  readonly #tasks: TaskRun;
  readonly #wake = new EventTarget();
  readonly #ending = new AbortController();
  #asked: Ending | undefined;
  #asleep = false;
  #gone = false;

  constructor(parts: RunnerParts) {
    this.#parts = parts;
    this.desk = new TaskDesk(parts.journal);
    this.herald = new Herald(parts);
    this.log = new LogWriter(parts.journal, parts.clock, () => this.herald.publishProgress());
    this.#questions = new Questions({
      journal: parts.journal,
      clock: parts.clock,
      asker: { principal: `agent:${parts.launch.name}`, door: 'self' },
      launch: parts.launch,
      ruled: (what) => this.log.write('INFO', 'system', what),
      changed: () => this.herald.publish(),
    });
    this.metadata = new MetadataKeeper({
      journal: parts.journal,
      clock: parts.clock,
      place: { launch: parts.launch, directory: parts.workspace.directory, env: parts.env, cell: parts.cell },
      lookedAt: () => parts.lookedAt(),
      changed: (names) => this.herald.publishFields(names),
      complain: (problem) => this.log.write('WARN', 'system', `the Taskfile cannot be loaded: ${problem}`),
    });
    this.#tasks = new TaskRun({
      journal: parts.journal,
      desk: this.desk,
      log: this.log,
      herald: this.herald,
      metadata: this.metadata,
      lookAtGit: () => this.#lookAtGit(),
      ending: () => this.#asked,
    });
    parts.journal.onFact(() => this.#wake.dispatchEvent(new Event('fact')));
  }

  /** Lives until the agent sleeps or is asked to end. */
  async run(): Promise<void> {
    try {
      await this.#live();
    } finally {
      await this.metadata[Symbol.asyncDispose]();
      this.log.settle();
      this.herald.close();
      this.#gone = true;
    }
  }

  /** Asks it to end; it does when its task has. */
  end(asked: Ending): void {
    this.#asked = asked;
    this.herald.publish();
    this.#ending.abort();
    this.interrupt(asked.kind === 'delete' ? new Interruption(DELETE_STEP_MS) : new Interruption());
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
        spent: () => journal.state().usage ?? { tokens: 0, cost: 0 },
        lastSign: () => this.log.lastSign,
        sink: {
          log: (level, type, message) => this.log.write(level, type, message),
          progress: () => this.log.touch(),
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
      this.herald.publish();
      const made = await workspace.prepare(
        (level, message) => this.log.write(level, 'system', message),
        signal,
      );
      signal.throwIfAborted();
      await this.#say({ kind: 'agent.workspace_made', ...made });
      const session = await open();
      await this.#say({ kind: 'agent.ready' });
      this.herald.publish();
      void this.#lookAtGit();
      void this.metadata.collect();
      return session;
    } catch (thrown) {
      if (signal.aborted) return undefined;
      const reason = thrown instanceof Error ? thrown.message : String(thrown);
      this.log.write('ERROR', 'system', reason);
      this.log.flush();
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
        await this.#tasks.run(session, next);
        continue;
      }
      const woken = await this.until(
        () => journal.state().queue.length > 0 || this.#ending.signal.aborted,
        launch.sleep_after_ms,
      );
      if (woken) continue;
      await this.metadata.settled();
      this.log.flush();
      if (journal.state().queue.length === 0 && this.#sleep()) return;
    }
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
        this.desk.cancelQueue(by);
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

  #learn(fact: DriverFact): void {
    this.#parts.journal.append({ principal: `agent:${this.#parts.launch.name}`, door: 'self' }, fact);
    this.log.touch();
  }

  async #lookAtGit(): Promise<void> {
    try {
      this.#parts.journal.setGit(await this.#parts.workspace.git());
      this.herald.publish();
    } catch {
      // Facts about the branch are a courtesy: the agent is as well without them.
    }
  }
}

function leaving(): FleetError {
  return new FleetError('SERVICE_UNAVAILABLE', 'The runner is just going away; ask again.', {
    reason: 'runner_leaving',
  });
}
