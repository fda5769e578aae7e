import type { ComponentType, JSX } from 'preact';
import { fleet } from '../../api/live.ts';
import { useObservable } from '../../api/observable.ts';
import { ofAgent, useQuery } from '../../api/use-query.ts';
import { Clamped } from '../../parts/clamped.tsx';
import { useShortcuts } from '../../parts/shortcuts.ts';
import { Loading, Problem } from '../../parts/states.tsx';
import { StatusMark } from '../../parts/status-mark.tsx';
import { Ago } from '../../parts/time.tsx';
import { visible } from '../../parts/visible.ts';
import { go, Link } from '../../router.tsx';
import { ApprovalCard } from '../inbox/approval-card.tsx';
import { AgentActions } from './agent-actions.tsx';
import type { Agent } from './agent.ts';
import { ChangesTab } from './changes/changes-tab.tsx';
import { ConversationTab } from './conversation/conversation-tab.tsx';
import { DetailsTab } from './details-tab.tsx';
import { HistoryTab } from './history-tab.tsx';
import { LogTab } from './log-tab.tsx';
import { TaskBox } from './task-box.tsx';
import { TimelineTab } from './timeline-tab.tsx';

const TABS: readonly {
  readonly id: string;
  readonly label: string;
  readonly Tab: ComponentType<{ agent: Agent }>;
}[] = [
  { id: 'conversation', label: 'Conversation', Tab: ConversationTab },
  { id: 'changes', label: 'Changes', Tab: ChangesTab },
  { id: 'history', label: 'History', Tab: HistoryTab },
  { id: 'log', label: 'Log', Tab: LogTab },
  { id: 'timeline', label: 'Timeline', Tab: TimelineTab },
  { id: 'details', label: 'Details', Tab: DetailsTab },
];

const WITH_TASK_BOX = new Set(['conversation', 'history', 'log']);

/** One agent in depth. */
export function AgentView({ name, part }: { name: string; part: string }): JSX.Element {
  const shown = useQuery('show_agent', { agent_name: name }, { refreshOn: ofAgent(name) });
  const at = Math.max(
    0,
    TABS.findIndex(({ id }) => id === part),
  );
  const step = (by: number): void => {
    const next = TABS[(at + by + TABS.length) % TABS.length];
    if (next !== undefined) go(pathOf(name, next.id));
  };
  useShortcuts({ ']': () => step(1), '[': () => step(-1) });
  const agent = shown.data?.agent;
  if (agent === undefined) {
    return shown.error === undefined ? (
      <Loading what={name} />
    ) : (
      <Problem error={shown.error} retry={shown.reload} />
    );
  }
  const Tab = TABS[at]?.Tab ?? ConversationTab;
  return (
    <>
      <Heading agent={agent} />
      {shown.error === undefined ? null : <Problem error={shown.error} />}
      <Questions name={agent.name} />
      <nav class="tabs" aria-label={`Views of ${agent.name}`}>
        {TABS.map(({ id, label }, index) => (
          <Link key={id} to={pathOf(name, id)} aria-current={index === at ? 'page' : undefined}>
            {label}
            {id === 'changes' && agent.git !== null && agent.git.changed_files > 0 ? (
              <span class="count quiet">{agent.git.changed_files}</span>
            ) : null}
          </Link>
        ))}
      </nav>
      <Tab agent={agent} key={TABS[at]?.id} />
      {WITH_TASK_BOX.has(TABS[at]?.id ?? '') ? <TaskBox agent={agent} /> : null}
    </>
  );
}

function pathOf(name: string, tab: string): string {
  return `/agents/${encodeURIComponent(name)}${tab === 'conversation' ? '' : `/${tab}`}`;
}

function Heading({ agent }: { agent: Agent }): JSX.Element {
  return (
    <header class="agent-heading">
      <div>
        <h1>
          <bdi>{agent.name}</bdi> <StatusMark agent={agent} />
        </h1>
        <Clamped class="quiet">
          {agent.busy_since === null ? null : (
            <>
              busy for <Ago at={agent.busy_since} suffix="" />
              {': '}
            </>
          )}
          <bdi>{visible(agent.current_task ?? agent.status_reason)}</bdi>
        </Clamped>
        {agent.needs_attention && agent.attention_reason !== null ? (
          <Clamped class="problem">
            <bdi>{visible(agent.attention_reason)}</bdi>
          </Clamped>
        ) : null}
      </div>
      <AgentActions agent={agent} />
    </header>
  );
}

/** Its open questions stand above everything else. */
function Questions({ name }: { name: string }): JSX.Element | null {
  const data = useObservable(fleet);
  const asked = (data?.approvals ?? []).filter(({ agent_name }) => agent_name === name);
  const row = data?.agents.find((agent) => agent.name === name);
  if (asked.length === 0) return null;
  return (
    <ul class="cards">
      {asked.map((approval) => (
        <li key={approval.id}>
          <article class="card current">
            <ApprovalCard approval={approval} agent={row} />
          </article>
        </li>
      ))}
    </ul>
  );
}
