import type { FleetError } from '../../domain/values/errors.ts';
import { AgentApiClient } from './agentapi/agentapi-client.ts';
import type { CoderContext } from './model/coder-context.ts';
import type { CoderOrigin } from './model/coder-origin.ts';
import { CoderRunnerClient } from './connection/coder-runner-client.ts';
import type { WorkspaceRunner } from './model/workspace-runner.ts';
import type { Workspace } from './model/workspace-schema.ts';

export interface Reachable {
  readonly workspace: Workspace;
  readonly origin: CoderOrigin | null;
  /** What keeps it from being asked. */
  offline(): Promise<FleetError | undefined>;
}

/** The program that answers for the agent in a workspace. */
export function runnerOf(context: CoderContext, { workspace, origin, offline }: Reachable): WorkspaceRunner {
  const { name, id: workspace_id, owner_id } = workspace;
  const reached = { name, workspace_id, owner_id, workspace, offline };
  return origin?.agentapi === undefined
    ? new CoderRunnerClient(context, reached)
    : new AgentApiClient(context, { ...reached, origin });
}
