import { FleetError } from '../domain/values/errors.ts';
import { checkBudget } from '../domain/budget.ts';
import { CONVERSATION_DIRECTIONS, type ConversationPage } from '../domain/conversation/conversation-page.ts';
import type { AgentDiff, DiffRequest } from '../domain/diff/agent-diff.ts';
import type { CheckpointView } from '../domain/merge/checkpoint-view.ts';
import { FLEET_ACTOR, type Actor } from '../domain/principal.ts';
import { shownChecks, type ShownChecks } from '../domain/review/shown-checks.ts';
import { chosenChecks, noChecks, type ChecksAnswer, type ChecksRequest } from './checks/checks-request.ts';
import { Interruption } from './programs/interruption.ts';
import type { Refresh } from './metadata/metadata-keeper.ts';
import { summaryOf } from './journal/publisher.ts';
import { readConversation } from './journal/read-conversation.ts';
import type {
  Accepted,
  AcceptRequest,
  AnswerRequest,
  Canceled,
  CancelRequest,
  ReportRequest,
  RunnerClient,
} from './api/runner-client.ts';
import type { Page } from '../domain/values/paging.ts';
import { updateConflict, type Updated, type UpdateStrategy } from '../domain/merge/update.ts';
import { RunnerLife } from './runner-life.ts';
import type { EndKind, RunnerParts } from './runner-parts.ts';
import { integer, oneOf, optionalText, type Fields } from './api/shapes.ts';
import { checkOnline } from './task-commands.ts';
import type { MadeCheckpoint } from './workspace.ts';

/** How long an answer waits for what it started, so that it can tell the outcome. */
const SETTLE_MS = 2_000;
const START_MS = 200;
const GIT_MS = 1_000;

/** Beside one agent: owns its program and its truth. Every fact is in the journal before it is published. */
export class Runner implements RunnerClient {
  readonly #parts: RunnerParts;
  readonly #life: RunnerLife;

  constructor(parts: RunnerParts) {
    this.#parts = parts;
    this.#life = new RunnerLife(parts);
  }

  /** Says in the journal that this runner has the agent now. */
  begin(): void {
    const { journal, version, launch, checker } = this.#parts;
    const generation = journal.nextGeneration();
    journal.append(FLEET_ACTOR, {
      kind: 'runner.started',
      generation,
      pid: process.pid,
      version,
      checks: checker !== undefined && launch.checks !== undefined,
    });
  }

  /** Lives until the agent sleeps or is asked to end. */
  run(): Promise<void> {
    return this.#life.run();
  }

  /** Publishes again what the fleet may not have received. */
  publish(): void {
    this.#life.statePublisher.publish();
  }

  async accept(request: AcceptRequest): Promise<Accepted> {
    this.#life.checkHere();
    if (this.#parts.journal.historyRow(request.task_id) === undefined) {
      // Offline for good is told at once; only what will be back soon is worth asking again.
      checkOnline(this.#parts.journal.state());
      this.#life.checkAwake();
      const { launch, journal } = this.#parts;
      checkBudget(launch.budget ?? {}, journal.state().over_budget, launch);
    }
    const task = this.#life.commands.accept(request);
    const { running } = this.#parts.journal.state();
    if (running?.cancel_requested === true) this.#life.interrupt(new Interruption());
    await this.#life.until(() => !this.#isNext(task.id), START_MS);
    return { task: this.#life.commands.row(task.id), state: this.#parts.journal.state() };
  }

  async cancel(request: CancelRequest): Promise<Canceled> {
    this.#life.checkAwake();
    const { task, interrupt } = this.#life.commands.cancel(request);
    if (interrupt) {
      this.#life.interrupt(new Interruption());
      await this.#life.until(() => this.#parts.journal.state().running?.id !== task.id, SETTLE_MS);
    }
    return {
      task: this.#life.commands.row(task.id),
      interrupt_sent: interrupt,
      state: this.#parts.journal.state(),
    };
  }

  async report(request: ReportRequest): Promise<{ recorded_at: string }> {
    this.#life.checkAwake();
    const recorded_at = this.#life.commands.report(request);
    this.#life.log.touch();
    return { recorded_at };
  }

  async setMetadata({ key, value, by }: { key: string; value: string | null; by: Actor }): Promise<void> {
    this.#life.checkAwake();
    this.#life.commands.setMetadata(key, value, by);
  }

  async answer(request: AnswerRequest): Promise<void> {
    this.#life.checkAwake();
    this.#life.commands.answer(request);
  }

  async acknowledge({ by }: { by: Actor }): Promise<void> {
    this.#life.checkAwake();
    if (this.#parts.journal.state().parked !== null) this.#parts.account.release();
    this.#life.commands.acknowledge(by);
  }

  /** Brings newer commits of the base into the agent's branch. No task starts meanwhile. */
  async update(strategy: UpdateStrategy): Promise<Updated> {
    this.#life.checkAwake();
    const { workspace, journal, launch } = this.#parts;
    const { running, queue, phase } = journal.state();
    if (workspace.update === undefined) throw this.#noGitWork();
    const update = workspace.update.bind(workspace);
    const told = (made: MadeCheckpoint): void => this.#life.statePublisher.publishCheckpoint(made);
    if (strategy === 'base') return update(strategy, told);
    if (phase !== 'ready' || running !== null || queue.length > 0)
      throw updateConflict('busy', `The agent "${launch.name}" is working. Wait until it is idle.`);
    return this.#life.betweenTasks(() => update(strategy, told));
  }

  /** Starts a run of checks, which goes on after the answer. */
  check(request: ChecksRequest): Promise<ChecksAnswer> {
    this.#life.checkAwake();
    return this.#life.checks.check(request);
  }

  /** The results of checks, without running any; of all when there are no names. */
  async shownChecks(names?: readonly string[]): Promise<ShownChecks> {
    this.#life.checkHere();
    const { launch, checker, journal } = this.#parts;
    const all = chosenChecks(launch, names);
    if (checker === undefined) throw noChecks(launch.name, launch.project);
    const commit = await checker.commit();
    const { checks } = journal.state();
    const running = checks?.state === 'running' && checks.commit === commit;
    return shownChecks(commit, all, { results: await checker.known(commit, all), running });
  }

  diff(request: DiffRequest): Promise<AgentDiff> {
    this.#life.checkHere();
    const { workspace, journal } = this.#parts;
    if (workspace.diff === undefined) throw this.#noGitWork();
    return workspace.diff({ ...request, running: journal.state().running?.id ?? null });
  }

  checkpoints(): Promise<readonly CheckpointView[]> {
    this.#life.checkHere();
    const { workspace } = this.#parts;
    if (workspace.checkpoints === undefined) throw this.#noGitWork();
    return workspace.checkpoints();
  }

  /** Somebody looks: git and the Taskfile are read again, as far as there is time. */
  async refresh(request: Refresh): Promise<void> {
    if (this.#parts.journal.state().phase !== 'ready') return;
    await Promise.all([
      this.#life.metadata.refresh(request),
      this.#life.git.refresh(GIT_MS, request.older_than_ms),
    ]);
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
      refused_writes: journal.refusedWrites(),
      launch: { ...launch, env: {} },
    };
  }

  history(fields: Fields): object {
    this.#life.checkHere();
    return this.#parts.journal.history(pageOf(fields));
  }

  log(fields: Fields): object {
    this.#life.checkHere();
    this.#life.log.flush();
    return this.#parts.journal.log({ ...pageOf(fields), search: optionalText(fields, 'search') });
  }

  conversation(fields: Fields): ConversationPage {
    this.#life.checkHere();
    this.#life.log.flush();
    return readConversation(this.#parts.journal, {
      cursor: optionalText(fields, 'cursor'),
      direction: oneOf(CONVERSATION_DIRECTIONS, fields, 'direction'),
      limit: integer(fields, 'limit'),
    });
  }

  /** Asks the runner to end; it answers at once and ends when its task has. */
  end(kind: EndKind, by: Actor): void {
    this.#life.checkAwake();
    if (kind === 'stop') this.#parts.journal.append(by, { kind: 'agent.stop_requested' });
    if (kind === 'delete') this.#parts.journal.append(by, { kind: 'agent.deleting' });
    this.#life.end({ kind, by });
  }

  #noGitWork(): FleetError {
    const { launch } = this.#parts;
    return new FleetError(
      'INVALID_INPUT',
      `Fleet does not follow the repository of agent "${launch.name}".`,
      { field: 'agent_name', reason: 'not_local' },
    );
  }

  /** A task that nothing is in front of is about to start. */
  #isNext(id: string): boolean {
    const { phase, running, queue } = this.#parts.journal.state();
    return phase === 'ready' && running === null && queue[0] === id;
  }
}

function pageOf(fields: Fields): Page {
  return { page: integer(fields, 'page'), page_size: integer(fields, 'page_size') };
}
