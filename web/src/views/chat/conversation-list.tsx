import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ConversationSummary } from '../../../../src/session/conversations/conversation-store.ts';
import { ApiError, messageOf } from '../../api/api-error.ts';
import { request } from '../../api/request.ts';
import { announce } from '../../parts/announcements.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Ago } from '../../parts/time.tsx';
import { visible } from '../../parts/visible.ts';
import { go, Link } from '../../router.tsx';

export function ConversationList({ current }: { current: string }): JSX.Element {
  const [all, setAll] = useState<readonly ConversationSummary[]>([]);
  const [asked, setAsked] = useState<ConversationSummary>();
  const load = async (): Promise<void> => {
    try {
      const response = await answered(request('/api/v1/chat/conversations'));
      setAll(((await response.json()) as { conversations: readonly ConversationSummary[] }).conversations);
    } catch (thrown) {
      announce(messageOf(thrown), 'problem');
    }
  };
  const remove = async (id: string): Promise<void> => {
    setAsked(undefined);
    try {
      await answered(request(`/api/v1/chat/conversations/${encodeURIComponent(id)}`, { method: 'DELETE' }));
      if (id === current) go('/chat');
    } catch (thrown) {
      announce(messageOf(thrown), 'problem');
    }
    await load();
  };
  useEffect(() => void load(), [current]);
  return (
    <nav class="conversations" aria-label="Conversations">
      <Link to="/chat" class="button">
        New conversation
      </Link>
      <ul>
        {all.map((conversation) => {
          const { id, title, updated_at } = conversation;
          return (
            <li key={id}>
              <Link to={`/chat/${id}`} aria-current={id === current ? 'page' : undefined}>
                <bdi>{visible(title)}</bdi>
              </Link>
              <span class="quiet">
                <Ago at={updated_at} />
              </span>
              <button
                type="button"
                class="plain"
                aria-label={`Delete the conversation ${title}`}
                onClick={() => setAsked(conversation)}
              >
                ✕
              </button>
            </li>
          );
        })}
      </ul>
      {asked === undefined ? null : (
        <Dialog title="Delete the conversation?" onClose={() => setAsked(undefined)}>
          <p>
            <bdi>{visible(asked.title)}</bdi>
          </p>
          <p>What was said is gone. Agents that it created stay.</p>
          <div class="buttons">
            <button type="button" class="danger" onClick={() => void remove(asked.id)}>
              Delete
            </button>
            <button type="button" onClick={() => setAsked(undefined)}>
              Cancel
            </button>
          </div>
        </Dialog>
      )}
    </nav>
  );
}

async function answered(asking: Promise<Response>): Promise<Response> {
  const response = await asking;
  if (!response.ok) throw await ApiError.from(response);
  return response;
}
