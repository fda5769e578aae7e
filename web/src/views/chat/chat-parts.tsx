import type { JSX } from 'preact';
import { fleet } from '../../api/live.ts';
import { useObservable } from '../../api/observable.ts';
import { Markdown } from '../../parts/markdown/markdown.tsx';
import { inWords } from '../../parts/time.tsx';
import { visible } from '../../parts/visible.ts';
import { ApprovalCard } from '../inbox/approval-card.tsx';
import type { ChatPart } from './chat-part.ts';

export function ChatParts({ parts }: { parts: readonly ChatPart[] }): JSX.Element {
  return (
    <ol class="conversation" aria-label="Conversation">
      {parts.map((part, index) => (
        <li key={index}>
          <Part part={part} />
        </li>
      ))}
    </ol>
  );
}

function Part({ part }: { part: ChatPart }): JSX.Element | null {
  switch (part.kind) {
    case 'user':
      return (
        <div class="bubble person">
          <p class="pre">
            <bdi>{part.text}</bdi>
          </p>
        </div>
      );
    case 'answer':
      return (
        <div class="bubble agent">
          <Markdown text={part.text} />
        </div>
      );
    case 'thinking':
      return (
        <details class="thought">
          <summary>Thinking</summary>
          <Markdown text={part.text} />
        </details>
      );
    case 'notice':
      return (
        <p class="notice">
          <bdi>{visible(part.text)}</bdi>
        </p>
      );
    case 'call':
      return (
        <details class="tool-call">
          <summary>
            <bdi>{visible(part.tool)}</bdi>{' '}
            {part.result === undefined ? (
              <span class="quiet">{visible(part.progress)}</span>
            ) : (
              <span class={`tag ${part.result.failed ? 'failed' : 'completed'}`}>
                {part.result.failed ? 'failed' : 'done'}, {inWords(part.result.took_ms)}
              </span>
            )}
          </summary>
          <pre tabIndex={0} aria-label="Arguments">
            <bdi>{visible(JSON.stringify(part.arguments, null, 2))}</bdi>
          </pre>
          {part.result === undefined ? null : (
            <pre class="log" tabIndex={0} aria-label="Result">
              <bdi>{visible(part.result.text)}</bdi>
            </pre>
          )}
        </details>
      );
    case 'approval':
      return <PendingApproval part={part} />;
  }
}

/** Answered here, in the inbox or in a terminal: then it is gone. */
function PendingApproval({ part }: { part: Extract<ChatPart, { kind: 'approval' }> }): JSX.Element {
  const data = useObservable(fleet);
  const approval = data?.approvals.find(({ id }) => id === part.id);
  if (approval === undefined)
    return (
      <p class="note">
        Asked: <bdi>{visible(part.tool)}</bdi>
      </p>
    );
  return (
    <article class="card current">
      <p>
        <bdi>{visible(part.effect)}</bdi>
      </p>
      <ApprovalCard approval={approval} agent={undefined} />
    </article>
  );
}
