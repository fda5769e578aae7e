import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { fleet, loadProblem } from '../../api/live.ts';
import { useObservable } from '../../api/observable.ts';
import type { Waiting } from '../../needs-person.ts';
import { useShortcuts } from '../../parts/shortcuts.ts';
import { Empty, Loading, Problem } from '../../parts/states.tsx';
import { Link } from '../../router.tsx';
import { useWaiting } from '../../use-waiting.ts';
import { ApprovalCard } from './approval-card.tsx';
import { AttentionCard } from './attention-card.tsx';
import { ConflictCard } from './conflict-card.tsx';
import { useChosen } from './use-chosen.ts';
import { useKeptOrder } from './use-kept-order.ts';

const KEYS = ['y', 'n', 'a', '1', '2', '3', '4', '5', '6', '7', '8', '9'];

/** Everything that waits for a person, across the fleet. */
export function InboxView(): JSX.Element {
  const waiting = useWaiting();
  const problem = useObservable(loadProblem);
  if (waiting === undefined)
    return problem === '' ? <Loading what="the inbox" /> : <Problem error={new Error(problem)} />;
  return <Entries waiting={waiting} />;
}

function Entries({ waiting }: { waiting: readonly Waiting[] }): JSX.Element {
  const heading = useRef<HTMLHeadingElement>(null);
  const { order, isNew, bringFirst } = useKeptOrder(waiting);
  const [chosen, setChosen] = useChosen(order, heading);
  const byId = new Map(waiting.map((each) => [each.id, each]));
  const entries = order.flatMap((id) => byId.get(id) ?? []);
  const arrived = order.filter((id, at) => isNew(id) && at > 0 && id !== chosen);
  const at = order.indexOf(chosen ?? '');
  const move = (step: number): void =>
    setChosen(order[Math.max(0, Math.min(order.length - 1, at === -1 ? 0 : at + step))]);
  const press = (key: string): void => {
    const card = cardOf(chosen);
    card?.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]:not(:disabled)`)?.click();
  };
  useShortcuts({
    j: () => move(1),
    k: () => move(-1),
    ...Object.fromEntries(KEYS.map((key) => [key, () => press(key)])),
  });
  return (
    <>
      <h1 ref={heading} tabIndex={-1}>
        Inbox
      </h1>
      {entries.length === 0 ? (
        <Nothing />
      ) : (
        <ul class="cards">
          {entries.map((each) => (
            <li key={each.id}>
              <Card waiting={each} current={each.id === chosen} onFocus={() => setChosen(each.id)} />
            </li>
          ))}
        </ul>
      )}
      <NewEntries
        count={arrived.length}
        onFirst={() => {
          bringFirst(arrived);
          setChosen(arrived[0]);
          requestAnimationFrame(() => cardOf(arrived[0])?.focus());
        }}
      />
    </>
  );
}

/** Says that something came, and brings it first on demand. It is below the entries, so that they do not move. */
function NewEntries({ count, onFirst }: { count: number; onFirst: () => void }): JSX.Element {
  return (
    <div class={`arrived ${count === 0 ? '' : 'covers'}`}>
      <p role="status" class="visually-hidden">
        {count === 0 ? '' : `${count} new at the end of the list`}
      </p>
      {count === 0 ? null : (
        <button type="button" onClick={onFirst}>
          {count} new: show {count === 1 ? 'it' : 'them'} first
        </button>
      )}
    </div>
  );
}

function Nothing(): JSX.Element {
  const data = useObservable(fleet);
  return (
    <Empty title="Nothing waits for you">
      <p>
        {data?.agents.length === 0 ? 'There are no agents yet. ' : ''}
        <Link to="/fleet">Show the fleet</Link>
      </p>
    </Empty>
  );
}

function Card({
  waiting,
  current,
  onFocus,
}: {
  waiting: Waiting;
  current: boolean;
  onFocus: () => void;
}): JSX.Element {
  return (
    <article
      class={`card ${current ? 'current' : ''}`}
      data-waiting={waiting.id}
      tabIndex={-1}
      onFocusCapture={onFocus}
    >
      {waiting.kind === 'approval' ? (
        <ApprovalCard approval={waiting.approval} agent={waiting.agent} />
      ) : waiting.kind === 'agent' ? (
        <AttentionCard agent={waiting.agent} />
      ) : (
        <ConflictCard conflict={waiting.conflict} />
      )}
    </article>
  );
}

function cardOf(id: string | undefined): HTMLElement | null {
  return document.querySelector<HTMLElement>(`[data-waiting="${CSS.escape(id ?? '')}"]`);
}
