import type { AgentRow, ApprovalRow, FleetData } from './api/live.ts';

/** Something that waits for a person. */
export type Waiting =
  | {
      readonly kind: 'approval';
      readonly id: string;
      readonly approval: ApprovalRow;
      readonly agent: AgentRow | undefined;
    }
  | { readonly kind: 'agent'; readonly id: string; readonly agent: AgentRow };

/** Questions first, oldest first, then agents that failed, are stuck or say done while their checks fail. An agent whose
 *  question is listed is not listed again. */
export function needsPerson({ agents, approvals }: FleetData): readonly Waiting[] {
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
      .filter((agent) => needsHelp(agent) && !asking.has(agent.name))
      .toSorted((one, other) => one.updated_at.localeCompare(other.updated_at))
      .map((agent): Waiting => ({ kind: 'agent', id: agent.workspace_id, agent })),
  ];
}

function needsHelp({ needs_attention, stuck, pull_request }: AgentRow): boolean {
  return needs_attention || stuck || pull_request?.check_status === 'failing';
}
