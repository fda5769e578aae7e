import { setTimeout as delay } from 'node:timers/promises';
import { FleetError } from '../../../domain/values/errors.ts';
import type { Actor } from '../../../domain/principal.ts';
import type {
  Accepted,
  AcceptRequest,
  AnswerRequest,
  Canceled,
  CancelRequest,
  ReportRequest,
} from '../../../runner/api/runner-client.ts';
import { TaskCommands } from '../../../runner/task-commands.ts';
import { reportsOf } from '../model/app-reports.ts';
import type { CoderContext } from '../model/coder-context.ts';
import type { CoderOrigin } from '../model/coder-origin.ts';
import type { ReachedAgent } from '../connection/coder-runner-client.ts';
import type { MirrorJournal } from '../model/mirror-journal.ts';
import { retryWhileStarting } from '../connection/retry-while-starting.ts';
import type { RunnerEnd, WorkspaceRunner } from '../model/workspace-runner.ts';
import { mainAgent } from '../model/workspace-state.ts';
import { AgentApi } from './agentapi.ts';
import { pollAgentApi } from './poll-agentapi.ts';
import { keepFields } from './keep-fields.ts';
import { keepReports } from './keep-reports.ts';

export interface AgentApiAgent extends ReachedAgent {
  readonly origin: CoderOrigin;
}

/** Reads do not wait for messages that are being typed. */
const LOOK_WAIT_MS = 2_000;
const WRITE_WAIT_MS = 45_000;
/** How long an interrupted agent may take to come to rest, and how often it is interrupted. */
const REST_MS = 5_000;
const INTERRUPTS = 2;
const REST_LOOK_MS = 250;

/** An agent that AgentAPI drives: the fleet keeps its journal itself. */
export class AgentApiClient implements WorkspaceRunner {
  readonly #context: CoderContext;
  readonly #agent: AgentApiAgent;
  readonly #api: AgentApi;

  constructor(context: CoderContext, agent: AgentApiAgent) {
    this.#context = context;
    this.#agent = agent;
    this.#api = new AgentApi(context, agent, agent.origin.agentapi ?? '');
  }

  mayAnswer(): boolean {
    return true;
  }

  async work(): Promise<never> {
    throw new FleetError(
      'INVALID_INPUT',
      `The agent "${this.#agent.name}" is driven by AgentAPI, without a runner of Fleet that could reach its repository. Use: coder ssh ${this.#agent.name}`,
      { field: 'agent_name', reason: 'no_runner' },
    );
  }

  async hear(): Promise<void> {
    const reports = reportsOf(this.#agent.workspace);
    await this.#context.mirror.write(this.#agent, {
      lock_wait_ms: LOOK_WAIT_MS,
      work: async (journal) => {
        await this.#poll(journal);
        keepReports(journal, reports);
      },
    });
  }

  async refresh(): Promise<void> {
    await this.hear();
    const { workspace, origin } = this.#agent;
    const agent = mainAgent(workspace, origin.agentapi);
    if (agent !== undefined) await keepFields(this.#context, this.#agent, agent.id);
  }

  accept(request: AcceptRequest): Promise<Accepted> {
    return this.#write(async (journal, commands) => {
      await this.#poll(journal);
      commands.accept(request);
      const { running } = journal.state();
      if (running?.cancel_requested === true) await this.#interrupt();
      await this.#poll(journal);
      return { task: commands.row(request.task_id), state: journal.state() };
    });
  }

  cancel(request: CancelRequest): Promise<Canceled> {
    return this.#write(async (journal, commands) => {
      await this.#poll(journal);
      const { task, interrupt } = commands.cancel(request);
      if (interrupt) await this.#interrupt();
      await this.#poll(journal);
      return { task: commands.row(task.id), interrupt_sent: interrupt, state: journal.state() };
    });
  }

  report(request: ReportRequest): Promise<{ recorded_at: string }> {
    return this.#write((_, commands) => ({ recorded_at: commands.report(request) }));
  }

  setMetadata({ key, value, by }: { key: string; value: string | null; by: Actor }): Promise<void> {
    return this.#write((_, commands) => commands.setMetadata(key, value, by));
  }

  answer(request: AnswerRequest): Promise<void> {
    return this.#write((_, commands) => commands.answer(request));
  }

  acknowledge({ by }: { by: Actor }): Promise<void> {
    return this.#write((_, commands) => commands.acknowledge(by));
  }

  /** AgentAPI ends with its workspace: what was running then is recorded as interrupted by the caller. */
  async end({ by, kind }: RunnerEnd & { readonly by: Actor }): Promise<Record<string, unknown>> {
    await this.hear();
    await this.#write((journal) => {
      const { running } = journal.state();
      if (running === null) return;
      const reason = `the agent was asked to ${kind} by ${by.principal}`;
      journal.append(by, { kind: 'task.ended', task_id: running.id, state: 'interrupted', reason });
    });
    return {};
  }

  #poll(journal: MirrorJournal): Promise<void> {
    const { name, origin, workspace } = this.#agent;
    return pollAgentApi(journal, this.#api, { name, origin, build_id: workspace.latest_build.id });
  }

  async #interrupt(): Promise<void> {
    for (let count = 1; count <= INTERRUPTS; count++) {
      await this.#api.interrupt();
      const until = performance.now() + REST_MS;
      while (performance.now() < until) {
        if (await this.#api.isStable()) return;
        await delay(REST_LOOK_MS);
      }
    }
  }

  #write<Result>(
    work: (journal: MirrorJournal, commands: TaskCommands) => Result | Promise<Result>,
  ): Promise<Result> {
    return retryWhileStarting(this.#agent, async () => {
      const done = await this.#context.mirror.write(this.#agent, {
        lock_wait_ms: WRITE_WAIT_MS,
        work: async (journal) => ({ result: await work(journal, new TaskCommands(journal)) }),
      });
      if (done !== undefined) return done.result;
      throw new FleetError('SERVICE_UNAVAILABLE', 'Another process is using this agent. Retry.', {
        reason: 'runner_unreachable',
      });
    });
  }
}
