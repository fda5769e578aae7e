import type { AgentRow, ApprovalRow, ConflictRow, FleetData } from './api/live.ts';

/** Something that waits for a person. */
export type Waiting =
  | {
      readonly kind: 'approval';
      readonly id: string;
      readonly approval: ApprovalRow;
      readonly agent: AgentRow | undefined;
    }
  | { readonly kind: 'agent'; readonly id: string; readonly agent: AgentRow }
  | { readonly kind: 'conflict'; readonly id: string; readonly conflict: ConflictRow };

/** Questions first, oldest first, then agents that failed, are stuck or say done while their checks fail, then branches that
 *  do not merge. An agent whose question is listed is not listed again. */
export function needsPerson(
  { agents, approvals }: Pick<FleetData, 'agents' | 'approvals'>,
  conflicts: readonly ConflictRow[],
  putAway: ReadonlySet<string>,
): readonly Waiting[] {
  const asking = new Set(approvals.map(({ agent_name }) => agent_name));
  const byName = new Map(agents.map((agent) => [agent.name, agent]));
  return [
    ...approvals.map((approval): Waiting => ({
      kind: 'approval',
      id: approval.id,
      approval,
      agent: approval.agent_name === null ? undefined : byName.get(approval.agent_name),
    })),
    ...agents
      .filter((agent) => !asking.has(agent.name) && needsHelp(agent, putAway))
      .toSorted((one, other) => one.updated_at.localeCompare(other.updated_at))
      .map((agent): Waiting => ({ kind: 'agent', id: agent.workspace_id, agent })),
    ...conflicts
      .map((conflict): Waiting => ({ kind: 'conflict', id: conflictId(conflict), conflict }))
      .filter(({ id }) => !putAway.has(id)),
  ];
}

/** Of a pull request whose CI fails; undefined for any other agent. */
export function failingCiId({ workspace_id, pull_request }: AgentRow): string | undefined {
  return pull_request?.check_status === 'failing' ? `ci:${workspace_id}:${pull_request.url}` : undefined;
}

export function conflictId({ agent, other, paths }: ConflictRow): string {
  return `conflict:${agent}:${other ?? ''}:${paths.join('\n')}`;
}

/** An agent that is stuck needs attention until somebody has seen it. */
function needsHelp(agent: AgentRow, putAway: ReadonlySet<string>): boolean {
  const ci = failingCiId(agent);
  return agent.needs_attention || (ci !== undefined && !putAway.has(ci));
}
