import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { fleet, loadProblem } from '../../api/live.ts';
import { useObservable } from '../../api/observable.ts';
import { needsPerson, type Waiting } from '../../needs-person.ts';
import { useShortcuts } from '../../parts/shortcuts.ts';
import { Empty, Loading, Problem } from '../../parts/states.tsx';
import { Link } from '../../router.tsx';
import { ApprovalCard } from './approval-card.tsx';
import { AttentionCard } from './attention-card.tsx';
import { ConflictCards } from './conflict-cards.tsx';

const KEYS = ['y', 'n', 'a', '1', '2', '3', '4', '5', '6', '7', '8', '9'];

const SETTLE_MS = 600;

/** Everything that waits for a person, across the fleet. */
export function InboxView(): JSX.Element {
  const data = useObservable(fleet);
  const problem = useObservable(loadProblem);
  const [chosen, setChosen] = useState<string>();
  const waiting = data === undefined ? [] : needsPerson(data);
  const at = waiting.findIndex(({ id }) => id === chosen);
  const current = waiting[at];
  const first = waiting[0]?.id;
  const move = (step: number): void => {
    const next = waiting[Math.max(0, Math.min(waiting.length - 1, Math.max(0, at) + step))];
    if (next !== undefined) setChosen(next.id);
  };
  const press = (key: string): void => {
    const card = document.querySelector(`[data-waiting="${CSS.escape(current?.id ?? '')}"]`);
    card?.querySelector<HTMLButtonElement>(`button[data-key="${CSS.escape(key)}"]:not(:disabled)`)?.click();
  };
  useShortcuts({
    j: () => move(1),
    k: () => move(-1),
    ...Object.fromEntries(KEYS.map((key) => [key, () => press(key)])),
  });
  // A key that was meant for an entry that is just gone must not answer the next one.
  useEffect(() => {
    if (current !== undefined || first === undefined) return;
    const timer = setTimeout(() => setChosen(first), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [current?.id, first]);
  useEffect(() => {
    const card = document.querySelector<HTMLElement>(`[data-waiting="${CSS.escape(chosen ?? '')}"]`);
    if (isFree(document.activeElement)) card?.focus();
  }, [chosen]);
  if (data === undefined)
    return problem === '' ? <Loading what="the inbox" /> : <Problem error={new Error(problem)} />;
  return (
    <>
      <h1>Inbox</h1>
      {waiting.length === 0 ? (
        <Empty title="Nothing waits for you">
          <p>
            {data.agents.length === 0 ? 'There are no agents yet. ' : ''}
            <Link to="/fleet">Show the fleet</Link>
          </p>
        </Empty>
      ) : (
        <ul class="cards">
          {waiting.map((each) => (
            <li key={each.id}>
              <Card waiting={each} current={each === current} />
            </li>
          ))}
        </ul>
      )}
      <ConflictCards agents={data.agents} />
    </>
  );
}

/** Whether the focus can move: nobody writes. */
function isFree(element: Element | null): boolean {
  return element?.matches('input, textarea, select') !== true;
}

function Card({ waiting, current }: { waiting: Waiting; current: boolean }): JSX.Element {
  return (
    <article class={`card ${current ? 'current' : ''}`} data-waiting={waiting.id} tabIndex={-1}>
      {waiting.kind === 'approval' ? (
        <ApprovalCard approval={waiting.approval} agent={waiting.agent} />
      ) : (
        <AttentionCard agent={waiting.agent} />
      )}
    </article>
  );
}
