import { setTimeout as delay } from 'node:timers/promises';
import { FleetError } from '../../../domain/errors.ts';
import type { Actor } from '../../../domain/principal.ts';
import type {
  Accepted,
  AcceptRequest,
  AnswerRequest,
  Canceled,
  CancelRequest,
  ReportRequest,
} from '../../../runner/runner-client.ts';
import { TaskDesk } from '../../../runner/task-desk.ts';
import type { CoderContext } from '../coder-context.ts';
import type { CoderOrigin } from '../coder-origin.ts';
import type { ReachedAgent } from '../coder-runner-client.ts';
import type { MirrorJournal } from '../mirror-journal.ts';
import { patiently } from '../patiently.ts';
import type { RunnerEnd, WorkspaceRunner } from '../workspace-runner.ts';
import type { Workspace } from '../workspace-schema.ts';
import { mainAgent } from '../workspace-state.ts';
import { AgentApi } from './agentapi.ts';
import { attendAgentApi } from './attend-agentapi.ts';
import { keepFields } from './keep-fields.ts';
import { keepReports, reportsOf } from './keep-reports.ts';

export interface AgentApiAgent extends ReachedAgent {
  readonly workspace: Workspace;
  readonly origin: CoderOrigin;
}

/** Whoever only looks does not wait for whoever types. */
const LOOK_PATIENCE_MS = 2_000;
const WRITE_PATIENCE_MS = 45_000;
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

  async hear(): Promise<void> {
    const reports = await reportsOf(this.#context, this.#agent.workspace);
    await this.#context.mirror.write(this.#agent, {
      patience_ms: LOOK_PATIENCE_MS,
      work: async (journal) => {
        await this.#attend(journal);
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
    return this.#write(async (journal, desk) => {
      await this.#attend(journal);
      desk.accept(request);
      const { running } = journal.state();
      if (running?.cancel_requested === true) await this.#interrupt();
      await this.#attend(journal);
      return { task: desk.row(request.task_id), state: journal.state() };
    });
  }

  cancel(request: CancelRequest): Promise<Canceled> {
    return this.#write(async (journal, desk) => {
      await this.#attend(journal);
      const { task, interrupt } = desk.cancel(request);
      if (interrupt) await this.#interrupt();
      await this.#attend(journal);
      return { task: desk.row(task.id), interrupt_sent: interrupt, state: journal.state() };
    });
  }

  report(request: ReportRequest): Promise<{ recorded_at: string }> {
    return this.#write((_, desk) => ({ recorded_at: desk.report(request) }));
  }

  setMetadata({ key, value, by }: { key: string; value: string | null; by: Actor }): Promise<void> {
    return this.#write((_, desk) => desk.setMetadata(key, value, by));
  }

  answer(request: AnswerRequest): Promise<void> {
    return this.#write((_, desk) => desk.answer(request));
  }

  acknowledge({ by }: { by: Actor }): Promise<void> {
    return this.#write((_, desk) => desk.acknowledge(by));
  }

  /** AgentAPI ends with its workspace: what was running then is interrupted by whoever asked. */
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

  #attend(journal: MirrorJournal): Promise<void> {
    const { name, origin, workspace } = this.#agent;
    return attendAgentApi(journal, this.#api, { name, origin, build_id: workspace.latest_build.id });
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
    work: (journal: MirrorJournal, desk: TaskDesk) => Result | Promise<Result>,
  ): Promise<Result> {
    return patiently(this.#agent, async () => {
      const done = await this.#context.mirror.write(this.#agent, {
        patience_ms: WRITE_PATIENCE_MS,
        work: async (journal) => ({ result: await work(journal, new TaskDesk(journal)) }),
      });
      if (done !== undefined) return done.result;
      throw new FleetError('SERVICE_UNAVAILABLE', 'Another process speaks with this agent. Try again.', {
        reason: 'runner_unreachable',
      });
    });
  }
}
