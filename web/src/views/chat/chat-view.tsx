import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useDraft } from '../../api/drafts.ts';
import { Empty } from '../../parts/states.tsx';
import { ChatParts } from './chat-parts.tsx';
import { ConversationList } from './conversation-list.tsx';
import { useChat } from './use-chat.ts';

/** The session: a model that controls the fleet. */
export function ChatView({ id, available }: { id: string; available: boolean }): JSX.Element {
  if (!available) {
    return (
      <Empty title="No model is configured">
        <p>
          Add a <code>session</code> to fleet.yaml, or start Ollama on this machine, then start{' '}
          <code>fleet serve</code> again.
        </p>
      </Empty>
    );
  }
  return <Chat id={id} />;
}

function Chat({ id }: { id: string }): JSX.Element {
  const chat = useChat(id);
  const { text, set } = useDraft(`chat ${id}`);
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => end.current?.scrollIntoView({ block: 'nearest' }), [chat.parts]);
  const latest = useRef(text);
  latest.current = text;
  const send = async (): Promise<void> => {
    if (text.trim() === '' || chat.answering) return;
    set('');
    if (!(await chat.send(text)) && latest.current === '') set(text);
  };
  return (
    <div class="chat">
      <ConversationList current={id} />
      <div>
        <h1>Chat</h1>
        <ChatParts parts={chat.parts} />
        {chat.problem === undefined ? null : (
          <p class="error" role="alert">
            {chat.problem}
          </p>
        )}
        <div ref={end} />
        <form
          class="task-box"
          onSubmit={(event) => {
            event.preventDefault();
            void send();
          }}
        >
          <textarea
            aria-label="Message"
            placeholder="Give each of these issues to an agent, wait, and tell me what they changed"
            rows={3}
            value={text}
            onInput={(event) => set(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void send();
            }}
          />
          <div class="buttons">
            <button type="submit" class="primary" disabled={chat.answering || text.trim() === ''}>
              Send <kbd>Ctrl ↵</kbd>
            </button>
            {chat.answering ? (
              <button type="button" onClick={chat.stop}>
                Stop the answer
              </button>
            ) : null}
          </div>
        </form>
      </div>
    </div>
  );
}
