import { z } from 'zod';
import { DIFF_STATUSES, type AgentDiff, type DiffRequest } from '../../domain/diff/agent-diff.ts';
import type { CheckpointView } from '../../domain/merge/checkpoint-view.ts';
import type { Updated, UpdateStrategy } from '../../domain/merge/update.ts';
import type { Actor } from '../../domain/principal.ts';
import { CHECK_STATES } from '../../domain/review/checks.ts';
import type { ShownChecks } from '../../domain/review/shown-checks.ts';
import { followChecks } from '../hosting/follow-checks.ts';
import type { AgentRecord, CheckAgentRequest } from '../backend.ts';
import type { ProjectRemote, Publishing, PushRequest, ReadyPush } from '../publishing.ts';
import type { WorkspaceRunner } from './model/workspace-runner.ts';

type Agent = Pick<AgentRecord, 'name' | 'workspace_id'>;

export interface CheckpointFork {
  readonly branch: string;
  /** Of the new agent. */
  readonly workspace_id: string;
  /** Undefined for the newest. */
  readonly number: number | undefined;
}

/** A remote that answers slowly, and all that is pushed to it. */
const REMOTE_LIMIT_MS = 10 * 60_000;

/** Review and merge of agents in Coder workspaces: their runners do the work of git, and push with the credentials of the
 *  workspace. */
export class CoderWork implements Publishing {
  readonly #runner: (agent: Agent) => WorkspaceRunner;

  constructor(runner: (agent: Agent) => WorkspaceRunner) {
    this.#runner = runner;
  }

  async diff(agent: Agent, request: DiffRequest): Promise<AgentDiff> {
    return diffSchema.parse(await this.#runner(agent).work('diff', { ...request }));
  }

  async checkpoints(agent: Agent): Promise<readonly CheckpointView[]> {
    return checkpointsSchema.parse(await this.#runner(agent).work('checkpoints', {})).checkpoints;
  }

  async checks(agent: Agent): Promise<ShownChecks> {
    return shownSchema.parse(await this.#runner(agent).work('results', {}));
  }

  async check(agent: Agent, request: CheckAgentRequest): Promise<ShownChecks> {
    const { run_id, names, again, for_agent, by } = request;
    const runner = this.#runner(agent);
    const look = async (): Promise<ShownChecks> =>
      shownSchema.parse(await runner.work('results', { names, for_agent }));
    await look();
    const ask = async (within_ms: number) =>
      answerSchema.parse(await runner.work('checks', { run_id, names, again, within_ms, by }));
    const { running } = await followChecks(ask, request);
    const shown = await look();
    return running ? { ...shown, state: 'running' } : shown;
  }

  async update(agent: Agent, strategy: UpdateStrategy, by: Actor): Promise<Updated> {
    return updatedSchema.parse(await this.#runner(agent).work('updates', { strategy, by }, REMOTE_LIMIT_MS));
  }

  async remote(agent: Agent): Promise<ProjectRemote> {
    const { name, address } = remoteSchema.parse(await this.#runner(agent).work('remote', {}));
    return { name, address: address ?? undefined };
  }

  /** The login of the forge stays here. */
  async prepare(agent: Agent, { allow_workflows, progress }: PushRequest): Promise<ReadyPush> {
    const runner = this.#runner(agent);
    progress(`asking the workspace of ${agent.name}`);
    const ready = readySchema.parse(await runner.work('ready-push', { allow_workflows }, REMOTE_LIMIT_MS));
    return {
      ...ready,
      push: async () => {
        progress(`pushing ${ready.branch} from the workspace of ${agent.name}`);
        return pushedSchema.parse(await runner.work('push', { allow_workflows }, REMOTE_LIMIT_MS)).pushed;
      },
    };
  }

  /** Pushes a checkpoint to a branch that the workspace of another agent starts from. */
  async fork(agent: Agent, fork: CheckpointFork): Promise<void> {
    await this.#runner(agent).work('forks', { ...fork }, REMOTE_LIMIT_MS);
  }
}

const diffSchema = z.object({
  branch: z.string().nullable(),
  base: z.string().nullable(),
  head: z.string().nullable(),
  notes: z.array(z.string()),
  uncommitted: z.boolean(),
  files: z.array(
    z.object({
      path: z.string(),
      old_path: z.string().nullable(),
      status: z.enum(DIFF_STATUSES),
      mode: z.string(),
      insertions: z.number(),
      deletions: z.number(),
      binary: z.boolean(),
      uncommitted: z.boolean(),
      runs_elsewhere: z.boolean(),
      patch: z.string().exactOptional(),
    }),
  ),
  total_files: z.number(),
  insertions: z.number(),
  deletions: z.number(),
  cursor: z.string().nullable(),
});

const checkpointsSchema = z.object({
  checkpoints: z.array(
    z.object({
      number: z.number(),
      task_id: z.string().nullable(),
      commit: z.string(),
      created_at: z.string(),
      files: z.number(),
      insertions: z.number(),
      deletions: z.number(),
      left_out: z.array(z.string()),
    }),
  ),
});

const shownSchema = z.object({
  commit: z.string().nullable(),
  state: z.enum(CHECK_STATES),
  checks: z.array(
    z.object({
      name: z.string(),
      state: z.enum(CHECK_STATES),
      exit_code: z.number().nullable(),
      took_ms: z.number().nullable(),
      output: z.string().nullable(),
      checked_at: z.string().nullable(),
    }),
  ),
});

const answerSchema = z.object({ commit: z.string().nullable(), running: z.boolean(), message: z.string() });
const updatedSchema = z.object({ head: z.string(), message: z.string() });
const remoteSchema = z.object({ name: z.string(), address: z.string().nullable() });
const readySchema = z.object({
  branch: z.string(),
  base: z.string(),
  subject: z.string(),
  notes: z.array(z.string()),
});
const pushedSchema = z.object({ pushed: z.boolean() });
