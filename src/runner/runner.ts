import { FLEET_ACTOR, type Actor } from '../domain/principal.ts';
import { Interruption } from './interruption.ts';
import type { Refresh } from './metadata/metadata-keeper.ts';
import { summaryOf } from './publisher.ts';
import type {
  Accepted,
  AcceptRequest,
  AnswerRequest,
  Canceled,
  CancelRequest,
  ReportRequest,
  RunnerClient,
} from './runner-client.ts';
import { RunnerLife } from './runner-life.ts';
import type { EndKind, RunnerParts } from './runner-parts.ts';
import { integer, type Fields } from './shapes.ts';
import { checkOnline } from './task-desk.ts';

/** How long an answer waits for what it started, so that it can tell the outcome. */
const SETTLE_MS = 2_000;
const START_MS = 200;

/** Beside one agent: owns its program and its truth. Every fact is in the journal before anybody hears of it. */
export class Runner implements RunnerClient {
  readonly #parts: RunnerParts;
  readonly #life: RunnerLife;

  constructor(parts: RunnerParts) {
    this.#parts = parts;
    this.#life = new RunnerLife(parts);
  }

  /** Says in the journal that this runner has the agent now. */
  begin(): void {
    const { journal, version } = this.#parts;
    const generation = journal.nextGeneration();
    journal.append(FLEET_ACTOR, { kind: 'runner.started', generation, pid: process.pid, version });
    this.#life.herald.publish();
  }

  /** Lives until the agent sleeps or is asked to end. */
  run(): Promise<void> {
    return this.#life.run();
  }

  /** Tells the fleet again what it may not have heard. */
  publish(): void {
    this.#life.herald.publish();
  }

  async accept(request: AcceptRequest): Promise<Accepted> {
    this.#life.checkHere();
    if (this.#parts.journal.historyRow(request.task_id) === undefined) {
      // Offline for good is told at once; only what will be back soon is worth asking again.
      checkOnline(this.#parts.journal.state());
      this.#life.checkAwake();
    }
    const task = this.#life.desk.accept(request);
    const { running } = this.#parts.journal.state();
    if (running?.cancel_requested === true) this.#life.interrupt(new Interruption());
    this.#life.herald.publish();
    await this.#life.until(() => !this.#isNext(task.id), START_MS);
    return { task: this.#life.desk.row(task.id), state: this.#parts.journal.state() };
  }

  async cancel(request: CancelRequest): Promise<Canceled> {
    this.#life.checkAwake();
    const { task, interrupt } = this.#life.desk.cancel(request);
    if (interrupt) {
      this.#life.interrupt(new Interruption());
      await this.#life.until(() => this.#parts.journal.state().running?.id !== task.id, SETTLE_MS);
    }
    this.#life.herald.publish();
    return {
      task: this.#life.desk.row(task.id),
      interrupt_sent: interrupt,
      state: this.#parts.journal.state(),
    };
  }

  async report(request: ReportRequest): Promise<{ recorded_at: string }> {
    this.#life.checkAwake();
    const recorded_at = this.#life.desk.report(request);
    this.#life.log.touch();
    this.#life.herald.publish();
    return { recorded_at };
  }

  async setMetadata({ key, value, by }: { key: string; value: string | null; by: Actor }): Promise<void> {
    this.#life.checkAwake();
    this.#life.desk.setMetadata(key, value, by);
    this.#life.herald.publish();
  }

  async answer(request: AnswerRequest): Promise<void> {
    this.#life.checkAwake();
    this.#life.desk.answer(request);
    this.#life.herald.publish();
  }

  async acknowledge({ by }: { by: Actor }): Promise<void> {
    this.#life.checkAwake();
    if (this.#parts.journal.state().parked !== null) this.#parts.account.release();
    this.#life.desk.acknowledge(by);
    this.#life.herald.publish();
  }

  /** Somebody looks: what the Taskfile says is made new, as far as there is time. */
  async refresh(request: Refresh): Promise<void> {
    if (this.#parts.journal.state().phase === 'ready') await this.#life.metadata.refresh(request);
  }

  /** What the agent may see of itself. */
  details(): object {
    this.#life.checkHere();
    const { journal, launch } = this.#parts;
    this.#life.log.flush();
    return {
      ...summaryOf(journal),
      metadata: journal.metadata(),
      fields: journal.fields(),
      launch: { ...launch, env: {} },
    };
  }

  page(table: 'history' | 'log', fields: Fields): object {
    this.#life.checkHere();
    this.#life.log.flush();
    return this.#parts.journal[table]({
      page: integer(fields, 'page'),
      page_size: integer(fields, 'page_size'),
    });
  }

  /** Asks the runner to end; it answers at once and ends when its task has. */
  end(kind: EndKind, by: Actor): void {
    this.#life.checkAwake();
    if (kind === 'stop') this.#parts.journal.append(by, { kind: 'agent.stop_requested' });
    if (kind === 'delete') this.#parts.journal.append(by, { kind: 'agent.deleting' });
    this.#life.end({ kind, by });
  }

  /** A task that nothing is in front of is about to start. */
  #isNext(id: string): boolean {
    const { phase, running, queue } = this.#parts.journal.state();
    return phase === 'ready' && running === null && queue[0] === id;
  }
}
