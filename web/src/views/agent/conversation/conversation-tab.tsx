import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { Empty, Loading, Problem } from '../../../parts/states.tsx';
import type { Agent } from '../agent.ts';
import { Entry } from './entry.tsx';
import { groupEntries } from './group-entries.ts';
import { useConversation } from './use-conversation.ts';

const NEAR_END_PX = 160;

/** The conversation as it happens. The view stays at the end while the reader is there. */
export function ConversationTab({ agent }: { agent: Agent }): JSX.Element {
  const { entries, hasOlder, problem, loadOlder } = useConversation(agent.name);
  const atEnd = useRef(true);
  useEffect(() => {
    const onScroll = (): void => {
      atEnd.current = innerHeight + scrollY >= document.documentElement.scrollHeight - NEAR_END_PX;
    };
    addEventListener('scroll', onScroll, { passive: true });
    return () => removeEventListener('scroll', onScroll);
  }, []);
  useLayoutEffect(() => {
    if (atEnd.current) scrollTo(0, document.documentElement.scrollHeight);
  }, [entries]);
  if (entries === undefined)
    return problem === undefined ? <Loading what="the conversation" /> : <Problem error={problem} />;
  if (entries.length === 0) return <Empty title="Nothing was said yet" />;
  return (
    <>
      {problem === undefined ? null : <Problem error={problem} />}
      {hasOlder ? (
        <p class="centered">
          <button type="button" onClick={loadOlder}>
            Show what came before
          </button>
        </p>
      ) : null}
      <ol class="conversation" aria-label={`Conversation with ${agent.name}`}>
        {groupEntries(entries).map((group) => (
          <li key={group.id}>
            <Entry group={group} />
          </li>
        ))}
      </ol>
    </>
  );
}
