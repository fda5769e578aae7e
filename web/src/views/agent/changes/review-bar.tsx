import type { JSX } from 'preact';
import { useAction } from '../../../api/use-action.ts';
import { useMay } from '../../../parts/button.tsx';
import { useDraft } from '../../../api/drafts.ts';
import type { Agent } from '../agent.ts';

/** The draft of a review: comments are collected, and sent as one task. */
export function ReviewBar({
  agent,
  count,
  onSent,
}: {
  agent: Agent;
  count: number;
  onSent: () => void;
}): JSX.Element | null {
  const message = useDraft(`review ${agent.workspace_id}`);
  const send = useAction('send_review');
  const submit = async (): Promise<void> => {
    const answer = await send.run({
      agent_name: agent.name,
      message: message.text.trim() === '' ? undefined : message.text,
      when_busy: 'queue',
    });
    if (answer === undefined) return;
    message.sent(message.text);
    onSent();
  };
  if (!useMay('send_review') || count === 0) return null;
  return (
    <form
      class="review-bar"
      aria-label="Review"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <strong>
        {count} {count === 1 ? 'comment' : 'comments'}
      </strong>
      <input
        aria-label="Message of the review"
        placeholder="A message about all of it"
        value={message.text}
        onInput={(event) => message.set(event.currentTarget.value)}
      />
      <button type="submit" class="primary" disabled={send.running}>
        Send the review
      </button>
    </form>
  );
}
