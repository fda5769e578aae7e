import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { fleet, loadProblem, type AgentRow } from '../../api/live.ts';
import { useObservable } from '../../api/observable.ts';
import { useMay } from '../../parts/button.tsx';
import { useShortcuts } from '../../parts/shortcuts.ts';
import { Empty, Loading, Problem } from '../../parts/states.tsx';
import { VirtualRows } from '../../parts/virtual-rows.tsx';
import { Link, setQuery, useLocation } from '../../router.tsx';
import { AgentLine } from './agent-line.tsx';
import { BulkActions } from './bulk-actions.tsx';
import { FirstSteps } from './first-steps.tsx';
import { OwnFleet } from './own-fleet.tsx';
import { grouped, matching, type Grouping } from './select-agents.ts';
import { useRowHeight } from './use-row-height.ts';

export function FleetView({ demo }: { demo: boolean }): JSX.Element {
  const data = useObservable(fleet);
  const problem = useObservable(loadProblem);
  if (data === undefined) {
    return problem === '' ? <Loading what="the fleet" /> : <Problem error={new Error(problem)} />;
  }
  return (
    <>
      {data.agents.length === 0 ? <FirstSteps /> : <Agents agents={data.agents} />}
      {demo ? <OwnFleet /> : null}
    </>
  );
}

function Agents({ agents }: { agents: readonly AgentRow[] }): JSX.Element {
  const { query } = useLocation();
  const text = query.get('q') ?? '';
  const status = query.get('status') ?? '';
  const group = (query.get('group') ?? '') as Grouping;
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const last = useRef<string>(undefined);
  const search = useRef<HTMLInputElement>(null);
  const mayChange = useMay('stop_agent');
  const height = useRowHeight();
  const groups = grouped(matching(agents, { text, status }), group);
  const shown = groups.flatMap((each) => each.agents);
  const chosen = shown.filter(({ name }) => selected.has(name));

  const move = (step: number): void => {
    const at = shown.findIndex(({ name }) => name === (focusedAgent() ?? last.current));
    const next = shown[Math.max(0, Math.min(shown.length - 1, at === -1 ? 0 : at + step))];
    if (next !== undefined) focusAgent(next.name, () => scrollToAgent(next.name));
  };
  /** A row that is out of sight is not in the document. */
  const scrollToAgent = (name: string): void => {
    for (const [at, { agents: members }] of groups.entries()) {
      const row = members.findIndex((each) => each.name === name);
      const list = document.querySelectorAll('.rows')[at];
      if (row !== -1 && list !== undefined)
        scrollBy({ top: list.getBoundingClientRect().top + row * height - innerHeight / 2 });
    }
  };
  const toggle = (name: string): void =>
    setSelected((before) =>
      before.has(name) ? new Set([...before].filter((each) => each !== name)) : new Set([...before, name]),
    );
  useShortcuts({
    '/': () => search.current?.focus(),
    j: () => move(1),
    k: () => move(-1),
    x: () => {
      const name = focusedAgent();
      if (mayChange && name !== undefined) toggle(name);
    },
  });

  return (
    <>
      <h1>Fleet</h1>
      <p class="summary">{summaryOf(agents)}</p>
      <div class="filters" role="search">
        <input
          ref={search}
          type="search"
          aria-label="Search agents"
          placeholder="Search name, task, role, branch"
          value={text}
          onInput={(event) => setQuery('q', event.currentTarget.value)}
        />
        <label>
          Status{' '}
          <select value={status} onChange={(event) => setQuery('status', event.currentTarget.value)}>
            <option value="">all</option>
            <option value="attention">needs you</option>
            {[...new Set(agents.map((agent) => agent.status))].toSorted().map((each) => (
              <option key={each} value={each}>
                {each}
              </option>
            ))}
          </select>
        </label>
        <label>
          Group{' '}
          <select value={group} onChange={(event) => setQuery('group', event.currentTarget.value)}>
            <option value="">none</option>
            <option value="project">by project</option>
            <option value="role">by role</option>
            <option value="status">by status</option>
          </select>
        </label>
      </div>
      {shown.length === 0 ? (
        <Empty title="No agent matches">
          <p>
            <Link to="/fleet">Show all {agents.length} agents</Link>
          </p>
        </Empty>
      ) : (
        <div
          onFocusCapture={() => {
            last.current = focusedAgent();
          }}
        >
          {groups.map(({ title, agents: members }) => (
            <section key={title}>
              {title === '' ? null : (
                <h2>
                  <bdi>{title}</bdi> <span class="quiet">{members.length}</span>
                </h2>
              )}
              <VirtualRows
                rows={members}
                keyOf={({ workspace_id }) => workspace_id}
                height={height}
                label="Agents"
              >
                {(agent) => (
                  <AgentLine
                    agent={agent}
                    selected={selected.has(agent.name)}
                    onSelect={mayChange ? () => toggle(agent.name) : undefined}
                  />
                )}
              </VirtualRows>
            </section>
          ))}
        </div>
      )}
      <div class="selection">
        {chosen.length === 0 ? null : <BulkActions agents={chosen} onDone={() => setSelected(new Set())} />}
      </div>
    </>
  );
}

/** The agent of the row that has the focus. */
function focusedAgent(): string | undefined {
  return document.activeElement?.closest<HTMLElement>('[data-agent]')?.dataset['agent'];
}

function focusAgent(name: string, scrollThere: () => void): void {
  const find = (): HTMLElement | null =>
    document.querySelector<HTMLElement>(`[data-agent="${CSS.escape(name)}"] a`);
  const row = find();
  if (row !== null) return row.focus();
  scrollThere();
  // The rows of the new place are there after the next frame.
  requestAnimationFrame(() => setTimeout(() => find()?.focus(), 0));
}

function summaryOf(agents: readonly AgentRow[]): string {
  const busy = agents.filter(({ status }) => status === 'busy').length;
  const waiting = agents.filter(({ needs_attention, stuck }) => needs_attention || stuck).length;
  const need = waiting === 0 ? 'none needs you' : waiting === 1 ? '1 needs you' : `${waiting} need you`;
  return `${agents.length} ${agents.length === 1 ? 'agent' : 'agents'}, ${busy} busy, ${need}`;
}
