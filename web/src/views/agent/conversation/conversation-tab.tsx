import type { JSX } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import { Empty, Loading, Problem } from '../../../parts/states.tsx';
import { useFollowEnd } from '../../../parts/use-follow-end.ts';
import type { Agent } from '../agent.ts';
import { Entry } from './entry.tsx';
import { groupEntries, type EntryGroup } from './group-entries.ts';
import type { ConversationEntry } from './merge-entries.ts';
import { useConversation } from './use-conversation.ts';

/** The conversation as it happens. The view stays at the end until the reader scrolls up. */
export function ConversationTab({ agent }: { agent: Agent }): JSX.Element {
  const { entries, hasOlder, problem, loadOlder } = useConversation(agent.name);
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
      <Entries name={agent.name} entries={entries} />
    </>
  );
}

function Entries({ name, entries }: { name: string; entries: readonly ConversationEntry[] }): JSX.Element {
  const list = useRef<HTMLOListElement>(null);
  const { following, showEnd } = useFollowEnd(list);
  return (
    <>
      <ol ref={list} class="conversation" aria-label={`Conversation with ${name}`}>
        {groupEntries(entries).map((group) => (
          <li key={group.id}>
            <KeptEntry group={group} />
          </li>
        ))}
      </ol>
      {following ? null : (
        <div class="to-end">
          <button type="button" onClick={showEnd}>
            Show the newest
          </button>
        </div>
      )}
    </>
  );
}

/** An entry that has not changed is not rendered again: an agent at work adds many a second. */
function KeptEntry({ group }: { group: EntryGroup }): JSX.Element {
  return useMemo(() => <Entry group={group} />, [group.last, group.size]);
}
