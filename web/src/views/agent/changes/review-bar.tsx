import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useAction } from '../../../api/use-action.ts';
import { useMay } from '../../../parts/button.tsx';
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
  const [message, setMessage] = useState('');
  const send = useAction('send_review');
  const submit = async (): Promise<void> => {
    const answer = await send.run({
      agent_name: agent.name,
      message: message.trim() === '' ? undefined : message,
      when_busy: 'queue',
    });
    if (answer === undefined) return;
    setMessage('');
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
        value={message}
        onInput={(event) => setMessage(event.currentTarget.value)}
      />
      <button type="submit" class="primary" disabled={send.running}>
        Send the review
      </button>
    </form>
  );
}
