import { useEffect, useRef, useState } from 'preact/hooks';
import { call } from '../../../api/call.ts';
import { connection, onEvent, watchAgent } from '../../../api/event-stream.ts';
import { mergeEntries, type ConversationEntry } from './merge-entries.ts';

const PAGE = 200;
/** With more entries than this the newest page is loaded alone again, once the reader is at the end. */
const MANY = 2_000;
const MOST = 10_000;
const NEAR_END_PX = 160;
/** Agents on Coder do not say when there is more. */
const LOOK_MS = 5_000;

interface Shown {
  readonly entries: readonly ConversationEntry[];
  readonly older: string | null;
  readonly newer: string;
}

export interface ShownConversation {
  readonly entries: readonly ConversationEntry[] | undefined;
  readonly hasOlder: boolean;
  readonly problem: unknown;
  loadOlder(): void;
}

/** The conversation of an agent: its newest part, what is new as it comes, and what came before on request. */
export function useConversation(name: string): ShownConversation {
  const [shown, setShown] = useState<Shown>();
  const [problem, setProblem] = useState<unknown>();
  const loadOlder = useRef(() => {});

  useEffect(() => {
    const ending = new AbortController();
    const wanted = { older: false, newer: true };
    let current: Shown | undefined;
    let running = false;
    const step = async (): Promise<void> => {
      if (current !== undefined && isTooLong(current)) current = undefined;
      const before = current;
      const direction = before === undefined || !wanted.newer ? 'older' : 'newer';
      if (before === undefined) wanted.newer = false;
      else wanted[direction] = false;
      const cursor = direction === 'older' ? (before?.older ?? undefined) : before?.newer;
      if (before !== undefined && cursor === undefined) return;
      const answer = await call(
        'show_agent_conversation',
        { agent_name: name, cursor, direction, limit: PAGE },
        ending.signal,
      );
      if (direction === 'newer' && answer.has_newer) wanted.newer = true;
      current = {
        // Of entries at the same time those of the older page come first.
        entries:
          direction === 'older'
            ? mergeEntries(answer.entries, before?.entries ?? [])
            : mergeEntries(before?.entries ?? [], answer.entries),
        older: direction === 'older' ? answer.older : (before?.older ?? null),
        newer: direction === 'newer' || before === undefined ? answer.newer : before.newer,
      };
      if (answer.entries.length > 0 || before === undefined) setShown(current);
    };
    const work = async (): Promise<void> => {
      if (running) return;
      running = true;
      try {
        while ((wanted.older || wanted.newer) && !ending.signal.aborted) await step();
        setProblem(undefined);
      } catch (thrown) {
        if (!ending.signal.aborted) setProblem(thrown);
      } finally {
        running = false;
      }
    };
    const loadNewer = (): void => {
      wanted.newer = true;
      void work();
    };
    loadOlder.current = () => {
      wanted.older = true;
      void work();
    };
    setShown(undefined);
    loadNewer();
    const timer = setInterval(() => document.visibilityState === 'visible' && loadNewer(), LOOK_MS);
    const ends = [
      watchAgent(name),
      onEvent(({ agent_name }) => agent_name === name && loadNewer()),
      connection.subscribe(() => connection.value === 'live' && loadNewer()),
    ];
    return () => {
      ending.abort();
      clearInterval(timer);
      for (const end of ends) end();
    };
  }, [name]);

  return {
    entries: shown?.entries,
    hasOlder: shown?.older != null,
    problem,
    loadOlder: () => loadOlder.current(),
  };
}

function isTooLong({ entries }: Shown): boolean {
  return entries.length > MOST || (entries.length > MANY && isAtEnd());
}

/** Whether the reader sees the end of the page. */
export function isAtEnd(): boolean {
  return innerHeight + scrollY >= document.documentElement.scrollHeight - NEAR_END_PX;
}
