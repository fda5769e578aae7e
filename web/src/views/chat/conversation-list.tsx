import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ConversationSummary } from '../../../../src/session/conversations/conversation-store.ts';
import { request } from '../../api/request.ts';
import { Ago } from '../../parts/time.tsx';
import { visible } from '../../parts/visible.ts';
import { go, Link } from '../../router.tsx';

export function ConversationList({ current }: { current: string }): JSX.Element {
  const [all, setAll] = useState<readonly ConversationSummary[]>([]);
  const load = async (): Promise<void> => {
    const response = await request('/api/v1/chat/conversations');
    if (response.ok)
      setAll(((await response.json()) as { conversations: readonly ConversationSummary[] }).conversations);
  };
  const remove = async (id: string): Promise<void> => {
    await request(`/api/v1/chat/conversations/${encodeURIComponent(id)}`, { method: 'DELETE' });
    if (id === current) go('/chat');
    await load();
  };
  useEffect(() => void load(), [current]);
  return (
    <nav class="conversations" aria-label="Conversations">
      <Link to="/chat" class="button">
        New conversation
      </Link>
      <ul>
        {all.map(({ id, title, updated_at }) => (
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
              onClick={() => void remove(id)}
            >
              ✕
            </button>
          </li>
        ))}
      </ul>
    </nav>
  );
}
