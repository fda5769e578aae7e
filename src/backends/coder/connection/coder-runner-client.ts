import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { FleetError } from '../../../domain/values/errors.ts';
import { FLEET_ACTOR, type Actor } from '../../../domain/principal.ts';
import type {
  Accepted,
  AcceptRequest,
  AnswerRequest,
  Canceled,
  CancelRequest,
  ReportRequest,
} from '../../../runner/api/runner-client.ts';
import { askRunner, type ProxyTarget } from './app-proxy.ts';
import { reportsOf } from '../model/app-reports.ts';
import type { CoderContext } from '../model/coder-context.ts';
import { retryWhileStarting } from './retry-while-starting.ts';
import type { RunnerEnd, WorkFields, WorkspaceRunner } from '../model/workspace-runner.ts';
import type { Workspace } from '../model/workspace-schema.ts';
import { freshStatus } from '../model/workspace-state.ts';

export interface ReachedAgent extends ProxyTarget {
  readonly name: string;
  /** As it was last seen. */
  readonly workspace: Workspace;
  /** Why it cannot be asked: an error for the caller, or undefined while it may answer. */
  offline(): Promise<FleetError | undefined>;
}

const row = z.object({
  id: z.string(),
  kind: z.enum(['task', 'report']),
  message: z.string(),
  uri: z.string().nullable(),
  needs_user_attention: z.boolean(),
  created_at: z.string(),
  state: z.enum(['queued', 'running', 'complete', 'failed', 'canceled', 'interrupted']),
  source: z.enum(['human', 'ai', 'agent']),
  finished_at: z.string().nullable(),
  // A runner of an older version does not send these.
  started_at: z.string().nullable().default(null),
  result: z.string().nullable().default(null),
  tokens: z.number().nullable(),
  cost: z.number().nullable(),
});
const acceptedSchema = z.object({ task: row });
const canceledSchema = z.object({ task: row, interrupt_sent: z.boolean() });
const reportedSchema = z.object({ recorded_at: z.string() });

const REFRESH = { older_than_ms: 2_000, within_ms: 3_000, by: FLEET_ACTOR };
/** The app proxy takes 512 requests to one path in a minute. */
const REPORTS_AT_ONCE = 50;
/** The ladder of a task that will not end takes 10 s. */
const END_LIMIT_MS = 15_000;
/** And pushing its work as long as that takes. */
const KEEP_LIMIT_MS = 150_000;

/** Reaches the runner in a workspace through Coder's app proxy, and keeps what it tells. */
export class CoderRunnerClient implements WorkspaceRunner {
  readonly #context: CoderContext;
  readonly #agent: ReachedAgent;

  constructor(context: CoderContext, agent: ReachedAgent) {
    this.#context = context;
    this.#agent = agent;
  }

  async accept(request: AcceptRequest): Promise<Accepted> {
    const { task } = acceptedSchema.parse(await this.#call('tasks', request));
    return { task, state: this.#state() };
  }

  async cancel(request: CancelRequest): Promise<Canceled> {
    const { task, interrupt_sent } = canceledSchema.parse(await this.#call('cancel', request));
    return { task, interrupt_sent, state: this.#state() };
  }

  async report(request: ReportRequest): Promise<{ recorded_at: string }> {
    return reportedSchema.parse(await this.#call('reports', request));
  }

  async setMetadata(request: { key: string; value: string | null; by: Actor }): Promise<void> {
    await this.#call('metadata', request);
  }

  async answer(request: AnswerRequest): Promise<void> {
    await this.#call('answers', request);
  }

  async acknowledge(request: { by: Actor }): Promise<void> {
    await this.#call('acknowledge', request);
  }

  /** One that has started reports. */
  mayAnswer(workspace: Workspace): boolean {
    return freshStatus(workspace) !== undefined;
  }

  async hear(log: boolean): Promise<void> {
    await this.#once('news', { by: FLEET_ACTOR }, { log });
    await this.#passReports();
  }

  async refresh(): Promise<void> {
    await this.#once('refresh', REFRESH);
    await this.#passReports();
  }

  async work(name: string, fields: WorkFields, limit_ms?: number): Promise<Record<string, unknown>> {
    const request = { by: FLEET_ACTOR, ...fields };
    try {
      return await retryWhileStarting(this.#agent, () => this.#once(name, request, { limit_ms }));
    } catch (thrown) {
      throw isOfOlderRunner(thrown) ? olderRunner(this.#agent.name) : thrown;
    }
  }

  async end({ by, ...end }: RunnerEnd & { readonly by: Actor }): Promise<Record<string, unknown>> {
    // A report that cannot be passed on must not prevent the end.
    await this.#passReports().catch(() => {});
    await this.#once('end', { ...end, by }, { log: true });
    const until = performance.now() + (end.kind === 'delete' ? KEEP_LIMIT_MS : END_LIMIT_MS);
    while (performance.now() < until) {
      const last = await this.#once('news', { by }, { log: true });
      if (last['done'] === true) return last;
      await delay(50);
    }
    return {};
  }

  /** Coder stores the agent's reports until the next start only; the runner's journal stores them permanently. */
  async #passReports(): Promise<void> {
    const { workspace_id, workspace } = this.#agent;
    const missing = this.#context.mirror.lacks(workspace_id, reportsOf(workspace));
    for (const report of missing.slice(0, REPORTS_AT_ONCE)) await this.#once('reports', report);
  }

  /** Asks, waiting for a runner that is on its way; what it told is in the mirror afterwards. */
  #call(name: string, fields: object): Promise<Record<string, unknown>> {
    return retryWhileStarting(this.#agent, () => this.#once(name, fields));
  }

  async #once(
    name: string,
    fields: object,
    { log = false, limit_ms }: { readonly log?: boolean; readonly limit_ms?: number | undefined } = {},
  ): Promise<Record<string, unknown>> {
    const { mirror } = this.#context;
    const { workspace_id } = this.#agent;
    for (;;) {
      const heard = mirror.heard(workspace_id, { log });
      const { result, news } = await askRunner(this.#context, this.#agent, {
        name,
        fields: { ...fields, heard },
        ...(limit_ms === undefined ? {} : { limit_ms }),
      });
      await mirror.learn(this.#agent, news);
      if (!news.more || name !== 'news') return result;
    }
  }

  #state() {
    const state = this.#context.mirror.read(this.#agent.workspace_id, (reader) => reader.state());
    if (state === undefined) throw new Error('a runner answered and said nothing');
    return state;
  }
}

/** A call that it does not have, or that it refuses since it does nothing with the work in its workspace. */
function isOfOlderRunner(thrown: unknown): boolean {
  const reason = thrown instanceof FleetError ? thrown.details.reason : undefined;
  return reason === 'runner_api' || reason === 'not_local';
}

function olderRunner(name: string): FleetError {
  return new FleetError(
    'SERVICE_UNAVAILABLE',
    `The runner in the workspace of agent "${name}" is of an older version of Fleet and cannot do that. Update Fleet in the template (its variable fleet_package), then restart_agent.`,
    { reason: 'runner_api' },
  );
}
