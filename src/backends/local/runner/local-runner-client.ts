import type { Updated, UpdateStrategy } from '../../../domain/merge/update.ts';
import { setTimeout as delay } from 'node:timers/promises';
import { FleetError } from '../../../domain/values/errors.ts';
import type { Actor } from '../../../domain/principal.ts';
import { callRunner, RunnerAbsent } from '../../../runner/api/http-runner-client.ts';
import type { ChecksAnswer, ChecksRequest } from '../../../runner/checks/checks-request.ts';
import { JournalReader } from '../../../runner/journal/journal-reader.ts';
import type { Journal } from '../../../runner/journal/journal.ts';
import type {
  Accepted,
  AcceptRequest,
  AnswerRequest,
  Canceled,
  CancelRequest,
  ReportRequest,
  RunnerClient,
} from '../../../runner/api/runner-client.ts';
import { checkOnline, isOnline, sameTask, TaskCommands } from '../../../runner/task-commands.ts';
import { isDoubted, type AgentRow } from '../records/agent-rows.ts';
import { withOwnedJournal, repair } from '../records/with-owned-journal.ts';
import { noteDamage } from '../records/check-journal.ts';
import type { LocalContext } from '../records/local-context.ts';
import { agentPaths } from '../records/paths.ts';
import { startRunner } from './start-runner.ts';

const MAX_WAIT_MS = 20_000;
const ANSWER_LIMIT_MS = 15_000;

/** Reaches the runner of one agent by its socket. */
export class LocalRunnerClient implements RunnerClient {
  readonly #context: LocalContext;
  readonly #row: AgentRow;

  constructor(context: LocalContext, row: AgentRow) {
    this.#context = context;
    this.#row = row;
  }

  /** A task needs somebody to run it: a sleeping or dead runner is started first, then asked. */
  accept(request: AcceptRequest): Promise<Accepted> {
    return this.#persist(async () => {
      try {
        return { result: (await this.call('tasks', request)) as Accepted };
      } catch (thrown) {
        // The task has its id from the caller: asking again gives the same one.
        if (isCutOff(thrown)) return undefined;
        if (!(thrown instanceof RunnerAbsent)) throw thrown;
        const known = await this.#acceptedOffline(request);
        if (known !== undefined) return { result: known };
        await startRunner(this.#context, this.#row.workspace_id);
        return undefined;
      }
    });
  }

  cancel(request: CancelRequest): Promise<Canceled> {
    return this.#anyone('cancel', request, (journal) => {
      const { task, interrupt } = new TaskCommands(journal).cancel(request);
      return { task, interrupt_sent: interrupt, state: journal.state() };
    });
  }

  report(request: ReportRequest): Promise<{ recorded_at: string }> {
    return this.#anyone('reports', request, (journal) => ({
      recorded_at: new TaskCommands(journal).report(request),
    }));
  }

  async setMetadata(request: { key: string; value: string | null; by: Actor }): Promise<void> {
    await this.#anyone('metadata', request, (journal) =>
      new TaskCommands(journal).setMetadata(request.key, request.value, request.by),
    );
  }

  async answer(request: AnswerRequest): Promise<void> {
    await this.#anyone('answers', request, (journal) => new TaskCommands(journal).answer(request));
  }

  async acknowledge(request: { by: Actor }): Promise<void> {
    await this.#anyone('acknowledge', request, (journal) =>
      new TaskCommands(journal).acknowledge(request.by),
    );
  }

  /** Has the runner run checks; a sleeping or dead one is started first. */
  check(request: ChecksRequest): Promise<ChecksAnswer> {
    return this.#awake('checks', request) as Promise<ChecksAnswer>;
  }

  #awake(call: string, request: object): Promise<unknown> {
    return this.#persist(async () => {
      try {
        return { result: await this.call(call, request) };
      } catch (thrown) {
        if (isCutOff(thrown)) return undefined;
        if (!(thrown instanceof RunnerAbsent)) throw thrown;
        await this.#checkCanStart();
        await startRunner(this.#context, this.#row.workspace_id);
        return undefined;
      }
    });
  }

  /** Has the runner update the agent's branch; a sleeping or dead one is started first. */
  update(strategy: UpdateStrategy, by: Actor): Promise<Updated> {
    return this.#awake('updates', { strategy, by }) as Promise<Updated>;
  }

  async #checkCanStart(): Promise<void> {
    using reader = JournalReader.open(agentPaths(this.#context.home, this.#row.workspace_id).journal);
    const row = this.#context.rows.byId(this.#row.workspace_id);
    const gone = row === undefined || row.tombstone !== null;
    if (!gone && (reader === undefined || isOnline(reader.state()))) return;
    const how = gone ? 'is being deleted' : `is ${reader?.state().phase ?? ''}`;
    throw new FleetError(
      'INVALID_INPUT',
      `The agent "${this.#row.name}" ${how}, and only its runner can do this. restart_agent starts it again.`,
      { field: 'agent_name', reason: 'agent_offline' },
    );
  }

  /** One request to a live runner, with a note in the store when it does not answer. */
  async call(path: string, fields: object): Promise<unknown> {
    const { rows, clock } = this.#context;
    const { workspace_id, key, unreachable_since } = this.#row;
    try {
      const answer = await callRunner(
        { socket: agentPaths(this.#context.home, workspace_id).socket, key },
        path,
        fields,
        ANSWER_LIMIT_MS,
      );
      if (unreachable_since !== null) rows.setUnreachableSince(workspace_id, null);
      return answer;
    } catch (thrown) {
      if (
        thrown instanceof FleetError &&
        thrown.details.reason === 'runner_silent' &&
        unreachable_since === null
      ) {
        rows.setUnreachableSince(workspace_id, clock.now().at);
      }
      throw thrown;
    }
  }

  /** What needs no live runner: by the runner when there is one, else on the journal itself. */
  #anyone<Result>(path: string, request: object, work: (journal: Journal) => Result): Promise<Result> {
    return this.#persist(async () => {
      try {
        return { result: (await this.call(path, request)) as Result };
      } catch (thrown) {
        // Canceling again might hit the task that came next.
        if (isCutOff(thrown) && path !== 'cancel') return undefined;
        if (!(thrown instanceof RunnerAbsent)) throw thrown;
        return withOwnedJournal(this.#context, this.#row, work);
      }
    });
  }

  /** A runner may go to sleep, or start, between two looks: undefined and "leaving" mean to look again. */
  async #persist<Result>(attempt: () => Promise<{ result: Result } | undefined>): Promise<Result> {
    const until = performance.now() + MAX_WAIT_MS;
    for (let tries = 1; performance.now() < until; tries++) {
      try {
        const done = await attempt();
        if (done !== undefined) return done.result;
      } catch (thrown) {
        noteDamage(this.#context, this.#row.workspace_id, thrown);
        const leaving = thrown instanceof FleetError && thrown.details.reason === 'runner_leaving';
        if (!leaving) throw thrown;
      }
      await delay(Math.min(100, 5 * tries));
    }
    throw new FleetError(
      'SERVICE_UNAVAILABLE',
      `The runner of agent "${this.#row.name}" could not be reached. Try again.`,
      {
        reason: 'runner_unreachable',
      },
    );
  }

  /** No runner is started for an agent that takes no task; what it took before it went offline, it took. */
  async #acceptedOffline(request: AcceptRequest): Promise<Accepted | undefined> {
    const row = this.#context.rows.byId(this.#row.workspace_id);
    if (row === undefined || row.tombstone !== null) {
      throw new FleetError(
        'INVALID_INPUT',
        `The agent "${this.#row.name}" is being deleted and accepts no task.`,
        {
          reason: 'agent_offline',
        },
      );
    }
    if (isDoubted(row)) await repair(this.#context, row);
    using reader = JournalReader.open(agentPaths(this.#context.home, row.workspace_id).journal);
    if (reader === undefined) return undefined;
    const state = reader.state();
    const known = reader.historyRow(request.task_id);
    if (known !== undefined && !isOnline(state)) return { task: sameTask(known, request), state };
    checkOnline(state);
    return undefined;
  }
}

function isCutOff(thrown: unknown): boolean {
  return thrown instanceof FleetError && thrown.details.reason === 'runner_cut_off';
}
