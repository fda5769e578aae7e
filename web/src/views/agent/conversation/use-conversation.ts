import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { call } from '../../../api/call.ts';
import { connection, onEvent, watchAgent } from '../../../api/event-stream.ts';
import { mergeEntries, type ConversationEntry } from './merge-entries.ts';

const PAGE = 200;
/** Entries in the document: older ones can be loaded again. */
const MOST = 2_000;

interface Shown {
  readonly entries: readonly ConversationEntry[];
  readonly older: string | null;
  readonly newer: string;
}

/** The conversation of an agent: its newest part, what is new as it comes, and what came before on request. */
export function useConversation(name: string): {
  readonly entries: readonly ConversationEntry[] | undefined;
  readonly hasOlder: boolean;
  readonly problem: unknown;
  loadOlder(): void;
} {
  const [shown, setShown] = useState<Shown>();
  const [problem, setProblem] = useState<unknown>();
  const current = useRef<Shown>(undefined);
  const loading = useRef(false);
  const missed = useRef(false);
  const keep = (next: Shown): void => {
    current.current = next;
    setShown(next);
  };

  const load = useCallback(
    async (direction: 'older' | 'newer', signal?: AbortSignal): Promise<void> => {
      if (loading.current) {
        missed.current = true;
        return;
      }
      loading.current = true;
      try {
        for (let again = true; again;) {
          const before = current.current;
          const cursor =
            before === undefined
              ? undefined
              : direction === 'older'
                ? (before.older ?? undefined)
                : before.newer;
          const answer = await call(
            'show_agent_conversation',
            { agent_name: name, cursor, direction: before === undefined ? 'older' : direction, limit: PAGE },
            signal,
          );
          if (answer.entries.length > 0 || before === undefined) {
            const merged = mergeEntries(before?.entries ?? [], answer.entries);
            keep({
              entries: direction === 'newer' ? merged.slice(-MOST) : merged,
              older: direction === 'older' || before === undefined ? answer.older : before.older,
              newer: direction === 'newer' || before === undefined ? answer.newer : before.newer,
            });
          }
          setProblem(undefined);
          again = direction === 'newer' && before !== undefined && (answer.has_newer || missed.current);
          missed.current = false;
        }
      } catch (thrown) {
        if (signal?.aborted !== true) setProblem(thrown);
      } finally {
        loading.current = false;
      }
    },
    [name],
  );

  useEffect(() => {
    const ending = new AbortController();
    current.current = undefined;
    loading.current = false;
    setShown(undefined);
    const loadNewer = (): void => void load('newer', ending.signal);
    loadNewer();
    const ends = [
      watchAgent(name),
      onEvent(({ agent_name }) => agent_name === name && loadNewer()),
      connection.subscribe(() => connection.value === 'live' && loadNewer()),
    ];
    return () => {
      ending.abort();
      for (const end of ends) end();
    };
  }, [name, load]);

  return {
    entries: shown?.entries,
    hasOlder: shown?.older != null,
    problem,
    loadOlder: () => void load('older'),
  };
}
