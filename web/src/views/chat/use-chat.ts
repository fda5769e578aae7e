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
  send(message: string): Promise<void>;
  stop(): void;
}

/** One conversation with the session, with the answer as it is streamed. */
export function useChat(id: string): Chat {
  const [parts, setParts] = useState<readonly ChatPart[]>([]);
  const [answering, setAnswering] = useState(false);
  const [problem, setProblem] = useState<string>();
  const ending = useRef<AbortController>(undefined);
  const own = useRef('');

  useEffect(() => {
    // The address of a new conversation follows its first answer, which is shown already.
    if (id === own.current) return;
    own.current = id;
    setParts([]);
    setProblem(undefined);
    if (id === '') return;
    load(id).then(
      (loaded) => own.current === id && setParts(loaded),
      (thrown: unknown) => setProblem(messageOf(thrown)),
    );
  }, [id]);

  const send = async (message: string): Promise<void> => {
    const abort = new AbortController();
    ending.current = abort;
    setAnswering(true);
    setProblem(undefined);
    setParts((before) => [...before, { kind: 'user', text: message }]);
    let conversation = id;
    try {
      const response = await request('/api/v1/chat', {
        method: 'POST',
        signal: abort.signal,
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ message, ...(id === '' ? {} : { conversation_id: id }) }),
      });
      if (!response.ok || response.body === null) throw await ApiError.from(response);
      for await (const { event, data } of readEvents(response.body)) {
        const fields = JSON.parse(data) as Record<string, unknown>;
        if (typeof fields['conversation_id'] === 'string') conversation = fields['conversation_id'];
        if (event === 'error') setProblem(String(fields['message']));
        if (event === 'approval' || event === 'question') reload();
        setParts((before) => withEvent(before, event, fields));
      }
    } catch (thrown) {
      if (!abort.signal.aborted) setProblem(messageOf(thrown));
    } finally {
      setAnswering(false);
      reload();
    }
    // The user may have gone to another view meanwhile: the conversation is kept.
    if (id === '' && conversation !== '' && location.pathname === '/chat') {
      own.current = conversation;
      go(`/chat/${conversation}`, { replace: true });
    }
  };
  return { parts, answering, problem, send, stop: () => ending.current?.abort() };
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
