import type { ConversationRequest } from '../../domain/conversation/conversation-page.ts';
import type { AgentView } from '../../domain/agent.ts';
import { deriveStatus } from '../../domain/status.ts';
import type { LogRequest } from '../../domain/task.ts';
import { pagingOf, type Page } from '../../domain/values/paging.ts';
import type { FleetContext } from '../context/fleet-context.ts';
import type { ShortWait } from '../../backends/backend.ts';
import { explainStatus } from '../../domain/timeline/explain-status.ts';
import { timelinePage, type TimelineRequest } from '../../domain/timeline/timeline-page.ts';
import { showView } from './agent-view.ts';
import { withHindrance } from './with-hindrance.ts';

export async function showAgent(
  { lookup, clock, pullRequests }: FleetContext,
  name: string,
): Promise<AgentView> {
  const { backend, agent } = await lookup.find(name);
  await Promise.all([backend.refresh(agent), pullRequests?.refresh(agent)]);
  const details = await backend.details(agent);
  return showView(pullRequests?.known([details])[0] ?? details, clock.now());
}

export async function taskHistory({ lookup, clock }: FleetContext, name: string, page: Page) {
  const { backend, agent } = await lookup.find(name);
  const { rows, total_count, as_of } = await backend.history(agent, page);
  const { status, status_reason } = deriveStatus(agent.state, agent.observed, clock.now());
  return {
    name: agent.name,
    rows: rows.map((row) => withHindrance(row, { name: agent.name, status, status_reason })),
    ...pagingOf(page, total_count),
    as_of,
  };
}

export async function agentLog({ lookup }: FleetContext, name: string, request: LogRequest) {
  const { backend, agent } = await lookup.find(name);
  const { rows, total_count, as_of } = await backend.log(agent, request);
  return { name: agent.name, rows, ...pagingOf(request, total_count), as_of };
}

export async function agentConversation(
  { lookup }: FleetContext,
  name: string,
  request: ConversationRequest,
) {
  const { backend, agent } = await lookup.find(name);
  return { name: agent.name, ...(await backend.conversation(agent, request)) };
}

/** The end of an agent's conversation, once it is another one than `known` or time is up; undefined where it is not known
 *  without asking the agent. */
export async function conversationEnd(
  { lookup }: FleetContext,
  name: string,
  { known, ...wait }: ShortWait & { readonly known: string | undefined },
) {
  const { backend, agent } = await lookup.find(name);
  const end = await backend.conversationEnd?.(agent, known, wait);
  return end === undefined ? undefined : { agent_name: agent.name, workspace_id: agent.workspace_id, end };
}

export async function agentFacts({ lookup }: FleetContext, name: string) {
  const { backend, agent } = await lookup.host(name);
  return { agent, facts: await backend.facts(agent) };
}

/** The status of an agent, now or at a time, and the facts that led to it. */
export async function agentTimeline(
  context: FleetContext,
  name: string,
  { at, ...request }: TimelineRequest & { readonly at: number | undefined },
) {
  const { agent, facts: all } = await agentFacts(context, name);
  const { name: agent_name, observed } = agent;
  const known = { agent_name, facts: all, observed, now: context.clock.now() };
  const { facts, ...explanation } = explainStatus(known, at);
  return { ...explanation, ...timelinePage(facts, request) };
}
