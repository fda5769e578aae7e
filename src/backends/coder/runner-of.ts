import type { FleetError } from '../../domain/errors.ts';
import { AgentApiClient } from './agentapi/agentapi-client.ts';
import type { CoderContext } from './coder-context.ts';
import type { CoderOrigin } from './coder-origin.ts';
import { CoderRunnerClient } from './coder-runner-client.ts';
import type { WorkspaceRunner } from './workspace-runner.ts';
import type { Workspace } from './workspace-schema.ts';

export interface Reachable {
  readonly workspace: Workspace;
  readonly origin: CoderOrigin | null;
  /** What keeps it from being asked. */
  offline(): Promise<FleetError | undefined>;
}

/** Whoever speaks for the agent in a workspace. */
export function runnerOf(context: CoderContext, { workspace, origin, offline }: Reachable): WorkspaceRunner {
  const { name, id: workspace_id, owner_id } = workspace;
  const reached = { name, workspace_id, owner_id, offline };
  return origin?.agentapi === undefined
    ? new CoderRunnerClient(context, reached)
    : new AgentApiClient(context, { ...reached, workspace, origin });
}
