import { useEffect, useRef, useState } from 'preact/hooks';
import type { ShownConversation } from '../../../../src/session/conversations/conversation-store.ts';
import { ApiError, messageOf } from '../../api/api-error.ts';
import { reload } from '../../api/live.ts';
import { readEvents } from '../../api/read-events.ts';
import { request } from '../../api/request.ts';
import { go } from '../../router.tsx';
import { withEvent, type ChatPart } from './chat-part.ts';

export interface Chat {
  readonly parts: readonly ChatPart[];
  readonly answering: boolean;
  readonly problem: string | undefined;
  /** Whether the server took it. */
  send(message: string): Promise<boolean>;
  stop(): void;
}

/** One conversation with the session, with the answer as it is streamed. */
export function useChat(id: string): Chat {
  const [parts, setParts] = useState<readonly ChatPart[]>([]);
  /** The conversation that is answered: another one may be shown meanwhile. */
  const [answering, setAnswering] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const ending = useRef<AbortController>(undefined);
  const own = useRef('');
  /** How many conversations were shown: what is for an earlier one is not for this. */
  const shown = useRef(0);

  useEffect(() => {
    // The address of a new conversation follows its first answer, which is shown already.
    if (id === own.current) return;
    own.current = id;
    shown.current++;
    setParts([]);
    setProblem(undefined);
    if (id === '') return;
    void show();
  }, [id]);

  const show = async (): Promise<void> => {
    try {
      const loaded = await load(id);
      if (own.current === id) setParts(loaded);
    } catch (thrown) {
      if (own.current === id) setProblem(messageOf(thrown));
    }
  };

  const send = async (message: string): Promise<boolean> => {
    const abort = new AbortController();
    ending.current = abort;
    const turn = shown.current;
    const change = (changed: (before: readonly ChatPart[]) => readonly ChatPart[]): void => {
      if (shown.current === turn) setParts(changed);
    };
    const fail = (text: string): void => {
      if (shown.current === turn) setProblem(text);
    };
    let taken = false;
    setAnswering(id);
    setProblem(undefined);
    change((before) => [...before, { kind: 'user', text: message }]);
    let conversation = id;
    try {
      const response = await request('/api/v1/chat', {
        method: 'POST',
        signal: abort.signal,
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ message, ...(id === '' ? {} : { conversation_id: id }) }),
      });
      if (!response.ok || response.body === null) throw await ApiError.from(response);
      taken = true;
      for await (const { event, data } of readEvents(response.body)) {
        const fields = JSON.parse(data) as Record<string, unknown>;
        if (typeof fields['conversation_id'] === 'string') conversation = fields['conversation_id'];
        if (event === 'error') fail(String(fields['message']));
        if (event === 'approval' || event === 'question') reload();
        change((before) => withEvent(before, event, fields));
      }
    } catch (thrown) {
      if (!abort.signal.aborted) fail(messageOf(thrown));
      if (!taken) change((before) => before.slice(0, -1));
    } finally {
      setAnswering((before) => (before === id ? undefined : before));
      reload();
    }
    // It was left and is shown again, with what was there then.
    if (id !== '' && own.current === id && shown.current !== turn) await show();
    // The user may have gone to another view meanwhile: the conversation is kept.
    if (id === '' && conversation !== '' && location.pathname === '/chat' && shown.current === turn) {
      own.current = conversation;
      go(`/chat/${conversation}`, { replace: true });
    }
    return taken;
  };
  return { parts, answering: answering === id, problem, send, stop: () => ending.current?.abort() };
}

async function load(id: string): Promise<readonly ChatPart[]> {
  const response = await request(`/api/v1/chat/conversations/${encodeURIComponent(id)}`);
  if (!response.ok) throw await ApiError.from(response);
  const { conversation } = (await response.json()) as { readonly conversation: ShownConversation };
  return conversation.history.flatMap(partsOf);
}

function partsOf(message: ShownConversation['history'][number]): readonly ChatPart[] {
  switch (message.role) {
    case 'user':
      return [{ kind: 'user', text: message.text }];
    case 'assistant':
      return [
        ...(message.text === '' ? [] : [{ kind: 'answer' as const, text: message.text }]),
        ...message.calls.map(({ id, tool, arguments: args }) => ({
          kind: 'call' as const,
          id,
          tool,
          arguments: args,
          progress: '',
          result: undefined,
        })),
      ];
    default:
      return [];
  }
}
