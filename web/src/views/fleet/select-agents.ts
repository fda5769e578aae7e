import type { AgentRow } from '../../api/live.ts';

export type Grouping = '' | 'project' | 'role' | 'status';

/** Agents that have every word of a text, and the status; those that need a person first, then those that work. */
export function matching(
  agents: readonly AgentRow[],
  { text, status }: { readonly text: string; readonly status: string },
): readonly AgentRow[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return agents
    .filter((agent) => hasStatus(agent, status) && words.every((word) => searchText(agent).includes(word)))
    .toSorted((one, other) => rank(one) - rank(other) || one.name.localeCompare(other.name));
}

export function grouped(
  agents: readonly AgentRow[],
  grouping: Grouping,
): readonly { readonly title: string; readonly agents: readonly AgentRow[] }[] {
  if (grouping === '') return [{ title: '', agents }];
  const groups = Map.groupBy(agents, (agent) => agent[grouping]);
  return [...groups].map(([title, members]) => ({ title, agents: members }));
}

function hasStatus({ status, needs_attention, stuck }: AgentRow, wanted: string): boolean {
  if (wanted === 'attention') return needs_attention || stuck;
  return wanted === '' || status === wanted;
}

function searchText({ name, current_task, last_task, role, project, git, status }: AgentRow): string {
  return [name, current_task, last_task, role, project, git?.branch, status].join(' ').toLowerCase();
}

function rank({ needs_attention, stuck, status }: AgentRow): number {
  if (needs_attention || stuck) return 0;
  if (status === 'failed') return 1;
  if (status === 'busy') return 2;
  return status === 'pending' || status === 'starting' ? 3 : 4;
}
