import { z } from 'zod';
import { FleetError } from '../../../domain/values/errors.ts';
import type { Actor } from '../../../domain/principal.ts';
import type { AgentRecord } from '../../backend.ts';
import type { CoderContext } from '../model/coder-context.ts';
import { endRunner } from './lifecycle.ts';
import type { WorkspaceRunner } from '../model/workspace-runner.ts';
import type { Workspace } from '../model/workspace-schema.ts';

export interface KeepRequest {
  readonly agent: AgentRecord;
  readonly workspace: Workspace;
  readonly runner: WorkspaceRunner;
  readonly by: Actor;
  readonly discard_work: boolean;
}

const lastWordSchema = z.object({
  kept: z.array(z.string()).default([]),
  problem: z.string().exactOptional(),
  done: z.boolean().default(false),
});

/** Ends the runner of an agent that is to be deleted, which pushes work that is nowhere else. The branches that have it. */
export async function keepWork(context: CoderContext, request: KeepRequest): Promise<readonly string[]> {
  const { agent, workspace, runner, by, discard_work } = request;
  if (!discard_work && isAgentApi(context, agent)) {
    throw notKept(
      `The agent "${agent.name}" runs AgentAPI: Fleet cannot check whether its workspace has work that exists nowhere else. Push it, then delete with discard_work.`,
    );
  }
  const last = await endRunner(workspace, { runner, by, kind: 'delete', discard_work });
  const { kept, problem, done } = lastWordSchema.parse(last);
  if (discard_work) return [];
  if (problem !== undefined) throw notKept(problem);
  // One that was never ready, or has no repository, has nothing to keep.
  if (!done && hasRepository(context, agent)) {
    throw notKept(
      `The agent "${agent.name}" does not respond, so Fleet cannot check whether its workspace has work that exists nowhere else. Start it with restart_agent, or delete with discard_work.`,
    );
  }
  return kept;
}

/** An agent whose runner never answered has done nothing. */
function isAgentApi({ rows, mirror }: CoderContext, { workspace_id }: AgentRecord): boolean {
  if (rows.byId(workspace_id)?.origin?.agentapi === undefined) return false;
  return mirror.read(workspace_id, () => true) === true;
}

function hasRepository({ mirror }: CoderContext, { workspace_id }: AgentRecord): boolean {
  const facts = mirror.read(workspace_id, (reader) => reader.facts()) ?? [];
  return facts.some(({ body }) => body.kind === 'agent.workspace_made' && body.branch !== null);
}

function notKept(message: string): FleetError {
  return new FleetError('SERVICE_UNAVAILABLE', message, { reason: 'work_not_kept' });
}
