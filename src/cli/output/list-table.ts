import type { AgentListView } from '../../domain/agent.ts';
import { cut } from '../../domain/values/text.ts';
import type { Output } from './output.ts';
import { forPeople } from './for-people.ts';
import { paintStatus } from './status-style.ts';
import { table, type Column } from './table.ts';
import { ago } from './times.ts';

interface Below {
  /** A line below an agent; none where it is empty. */
  readonly below?: (agent: AgentListView) => string;
}

/** Agents that need a person come first, in a table of their own. */
export function listTable(
  agents: readonly AgentListView[],
  now: number,
  { columns, paint, below }: Pick<Output, 'columns' | 'paint'> & Below,
): string {
  // Named one by one: a rest pattern would lose `columns`, which is a getter of its class.
  const style = { columns, paint, ...(below === undefined ? {} : { below }) };
  const waiting = agents.filter(({ needs_attention }) => needs_attention);
  const others = agents.filter(({ needs_attention }) => !needs_attention);
  return [
    ...(waiting.length === 0 ? [] : [table(waiting, attentionColumns(waiting, now), style)]),
    ...(others.length === 0 ? [] : [table(others, agentColumns(others, now), style)]),
  ].join('\n');
}

const STATUS: Column<AgentListView> = {
  header: 'STATUS',
  value: statusText,
  painted: (text, agent, paint) => paintStatus(agent, text, paint),
};
function statusText({ status, stuck, checks }: AgentListView): string {
  if (stuck) return `${status}, stuck`;
  return status === 'idle' && checks?.state === 'failing' ? `${status}, checks fail` : status;
}

const PROJECT: Column<AgentListView> = {
  header: 'PROJECT',
  value: ({ project }) => project,
  least: 8,
  drop: 4,
};
const ROLE: Column<AgentListView> = { header: 'ROLE', value: ({ role }) => role, least: 8, drop: 2 };
const TASK: Column<AgentListView> = { header: 'TASK', value: taskText, least: 30, drop: 1 };

/** Agents that need a person: the reason has a column of its own. */
function attentionColumns(agents: readonly AgentListView[], now: number): readonly Column<AgentListView>[] {
  return [
    nameColumn('NEEDS YOU'),
    STATUS,
    PROJECT,
    ROLE,
    { header: 'CHANGED', value: (agent) => ago(agent.updated_at, now), drop: 3 },
    ...metadataColumn(agents),
    TASK,
    { header: 'REASON', value: ({ attention_reason }) => forPeople(attention_reason ?? '') },
  ];
}

function agentColumns(agents: readonly AgentListView[], now: number): readonly Column<AgentListView>[] {
  return [
    nameColumn('NAME'),
    STATUS,
    PROJECT,
    ROLE,
    {
      header: 'QUEUE',
      value: ({ queue_length }) => (queue_length === 0 ? '-' : String(queue_length)),
      drop: 3,
    },
    { header: 'CHANGED', value: (agent) => ago(agent.updated_at, now), drop: 5 },
    ...metadataColumn(agents),
    { header: 'TASK', value: taskText },
  ];
}

function metadataColumn(agents: readonly AgentListView[]): readonly Column<AgentListView>[] {
  return agents.some(({ metadata }) => Object.keys(metadata).length > 0) ? [METADATA] : [];
}

function nameColumn(header: string): Column<AgentListView> {
  return {
    header,
    value: ({ name }) => name,
    painted: (text, _agent, paint) => paint('bold', text),
    least: 16,
  };
}

/** A failure stays visible after it was acknowledged. */
function taskText({ current_task, last_task, last_task_state }: AgentListView): string {
  if (current_task !== null) return current_task;
  return last_task_state === 'failed' ? `failed: ${last_task ?? ''}` : (last_task ?? '');
}

const METADATA_WIDTH = 60;

/** What the Taskfiles of the agents have for lists. */
const METADATA: Column<AgentListView> = {
  header: 'METADATA',
  least: 12,
  drop: 1,
  value: ({ metadata }) =>
    cut(
      Object.entries(metadata)
        .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
        .join(' '),
      METADATA_WIDTH,
    ),
};
