import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { Empty, Loading, Problem } from '../../../parts/states.tsx';
import type { Agent } from '../agent.ts';
import { Entry } from './entry.tsx';
import { groupEntries, type EntryGroup } from './group-entries.ts';
import { isAtEnd, useConversation } from './use-conversation.ts';

/** The conversation as it happens. The view stays at the end while the reader is there. */
export function ConversationTab({ agent }: { agent: Agent }): JSX.Element {
  const { entries, hasOlder, problem, loadOlder } = useConversation(agent.name);
  const atEnd = useRef(true);
  useEffect(() => {
    const onScroll = (): void => {
      atEnd.current = isAtEnd();
    };
    addEventListener('scroll', onScroll, { passive: true });
    return () => removeEventListener('scroll', onScroll);
  }, []);
  useLayoutEffect(() => {
    if (atEnd.current) scrollTo(0, document.documentElement.scrollHeight);
  }, [entries]);
  if (entries === undefined)
    return problem === undefined ? <Loading what="the conversation" /> : <Problem error={problem} />;
  if (entries.length === 0) return <Empty title="No messages yet" />;
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
            <KeptEntry group={group} />
          </li>
        ))}
      </ol>
    </>
  );
}

/** An entry that has not changed is not rendered again: an agent at work adds many a second. */
function KeptEntry({ group }: { group: EntryGroup }): JSX.Element {
  return useMemo(() => <Entry group={group} />, [group.last, group.size]);
}
