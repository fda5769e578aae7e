import { randomUUID } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { FleetError } from '../../../domain/values/errors.ts';
import type { Cell } from '../../../platform/processes/cell.ts';
import {
  contain,
  containmentLevel,
  isSandboxed,
  RUN_MARKER,
} from '../../../platform/processes/containment.ts';
import { makeProcessGroup, removeProcessGroup } from '../../../platform/processes/process-group.ts';
import type { AgentShell } from '../../workspace-access.ts';
import { agentCell } from '../workspace/agent-cell.ts';
import { agentVariables } from '../workspace/agent-variables.ts';
import type { AgentRow } from '../records/agent-rows.ts';
import type { LocalContext } from '../records/local-context.ts';
import type { Origin } from '../records/origin.ts';
import { agentPaths } from '../records/paths.ts';
import { requireContainment } from '../records/require-containment.ts';

export async function agentShell(context: LocalContext, row: AgentRow): Promise<AgentShell> {
  const { home } = context;
  const { plan, launch } = originOf(context, row);
  const paths = agentPaths(home, row.workspace_id);
  const directory = workspaceOf(context, row);
  const contained = launch.contained !== false;
  if (contained) requireContainment(home);
  const sandboxed = isSandboxed(contained);
  // Its own mark: the end of a task ends what has the agent's.
  const marker = `shell-${randomUUID()}`;
  let cell: Cell | null = null;
  if (sandboxed) {
    const own = await agentCell({ home, paths, plan, launch });
    cell = { ...own, group: makeProcessGroup(marker, own.processes) };
  }
  return {
    directory,
    env: { ...agentVariables({ home, paths, sandboxed, launch }), [RUN_MARKER]: marker },
    open_because: sandboxed ? null : reasonOf(contained),
    wrap: (command) => {
      const { file, args } = contain(command, { directory, cell });
      return [file, ...args];
    },
    [Symbol.dispose]: () => removeProcessGroup(marker),
  };
}

/** The directory in which an agent works. */
export function workspaceOf(context: LocalContext, row: AgentRow): string {
  const { directory } = originOf(context, row).plan;
  if (lstatSync(directory, { throwIfNoEntry: false })?.isDirectory() === true) return directory;
  throw new FleetError('CONFLICT', `The agent "${row.name}" has no workspace, or not yet.`, {
    field: 'agent_name',
    reason: 'no_workspace',
  });
}

function originOf({ rows }: LocalContext, row: AgentRow): Origin {
  const origin = rows.origin(row.workspace_id);
  if (origin !== undefined && row.tombstone === null) return origin;
  throw new FleetError('CONFLICT', `The agent "${row.name}" is being deleted.`, {
    field: 'agent_name',
    reason: 'agent_deleting',
  });
}

function reasonOf(contained: boolean): string {
  if (!contained) return 'the role of the agent has contained: false';
  return `level marker, because ${containmentLevel().reason ?? ''}`;
}
