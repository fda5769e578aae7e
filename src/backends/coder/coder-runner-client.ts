import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { FleetError } from '../../domain/errors.ts';
import type { Actor } from '../../domain/principal.ts';
import type {
  Accepted,
  AcceptRequest,
  AnswerRequest,
  Canceled,
  CancelRequest,
  ReportRequest,
  RunnerClient,
} from '../../runner/runner-client.ts';
import { askRunner, RunnerAway, type ProxyTarget } from './app-proxy.ts';
import type { CoderContext } from './coder-context.ts';

export interface ReachedAgent extends ProxyTarget {
  readonly name: string;
  /** What keeps it from being asked: an error for whoever asks, or undefined while it may answer. */
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
  tokens: z.number().nullable(),
  cost: z.number().nullable(),
});
const acceptedSchema = z.object({ task: row });
const canceledSchema = z.object({ task: row, interrupt_sent: z.boolean() });
const reportedSchema = z.object({ recorded_at: z.string() });

/** A workspace that is starting takes its time. */
const PATIENCE_MS = 90_000;
const LOOK_MS = 250;

/** Reaches the runner in a workspace through Coder's app proxy, and keeps what it tells. */
export class CoderRunnerClient implements RunnerClient {
  readonly #context: CoderContext;
  readonly #agent: ReachedAgent;

  constructor(context: CoderContext, agent: ReachedAgent) {
    this.#context = context;
    this.#agent = agent;
  }

  async accept(request: AcceptRequest): Promise<Accepted> {
    const { task } = acceptedSchema.parse(await this.call('tasks', request));
    return { task, state: this.#state() };
  }

  async cancel(request: CancelRequest): Promise<Canceled> {
    const { task, interrupt_sent } = canceledSchema.parse(await this.call('cancel', request));
    return { task, interrupt_sent, state: this.#state() };
  }

  async report(request: ReportRequest): Promise<{ recorded_at: string }> {
    return reportedSchema.parse(await this.call('reports', request));
  }

  async setMetadata(request: { key: string; value: string | null; by: Actor }): Promise<void> {
    await this.call('metadata', request);
  }

  async answer(request: AnswerRequest): Promise<void> {
    await this.call('answers', request);
  }

  async acknowledge(request: { by: Actor }): Promise<void> {
    await this.call('acknowledge', request);
  }

  /** Asks, waiting for a runner that is on its way; what it told is in the mirror afterwards. */
  async call(name: string, fields: object): Promise<Record<string, unknown>> {
    const until = performance.now() + PATIENCE_MS;
    for (;;) {
      try {
        return await this.once(name, fields);
      } catch (thrown) {
        const leaving = thrown instanceof FleetError && thrown.details.reason === 'runner_leaving';
        if (!(thrown instanceof RunnerAway) && !leaving) throw thrown;
        const offline = await this.#agent.offline();
        if (offline !== undefined) throw offline;
        if (performance.now() > until) throw unreachable(this.#agent.name, thrown.message);
        await delay(LOOK_MS);
      }
    }
  }

  /** Asks once. Throws RunnerAway when nobody is there. */
  async once(name: string, fields: object, log = false): Promise<Record<string, unknown>> {
    const { mirror } = this.#context;
    const { workspace_id } = this.#agent;
    for (;;) {
      const heard = mirror.heard(workspace_id, { log });
      const { result, news } = await askRunner(this.#context, this.#agent, {
        name,
        fields: { ...fields, heard },
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

function unreachable(name: string, why: string): FleetError {
  return new FleetError(
    'SERVICE_UNAVAILABLE',
    `The runner of agent "${name}" cannot be reached (${why}). Try again; restart_agent starts it anew.`,
    { reason: 'runner_unreachable' },
  );
}
