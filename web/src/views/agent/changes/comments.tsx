import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Answer } from '../../../../../src/operations/table.ts';
import { useAction } from '../../../api/use-action.ts';
import { OperationButton } from '../../../parts/button.tsx';
import { visible } from '../../../parts/visible.ts';

type Comment = Answer<'list_review_comments'>['comments'][number];

export function Comments({
  agent,
  comments,
  onChanged,
}: {
  agent: string;
  comments: readonly Comment[];
  onChanged: () => void;
}): JSX.Element {
  const remove = useAction('remove_review_comment');
  const removeOne = async (id: string): Promise<void> => {
    await remove.run({ agent_name: agent, id });
    onChanged();
  };
  return (
    <>
      {comments.map(({ id, text, by, stale, snippet }) => (
        <div key={id} class="comment">
          <p class="pre">
            <bdi>{visible(text)}</bdi>
          </p>
          <p class="quiet">
            {by}, not sent yet{stale ? ', the line has changed since: ' : ''}
            {stale ? <bdi>{visible(snippet)}</bdi> : null}{' '}
            <OperationButton
              operation="remove_review_comment"
              tone="plain"
              onClick={() => void removeOne(id)}
            >
              Remove
            </OperationButton>
          </p>
        </div>
      ))}
    </>
  );
}

export function CommentForm({
  busy,
  onSave,
  onClose,
}: {
  busy: boolean;
  onSave: (text: string) => void;
  onClose: () => void;
}): JSX.Element {
  const [text, setText] = useState('');
  return (
    <form
      class="comment"
      onSubmit={(event) => {
        event.preventDefault();
        onSave(text);
      }}
    >
      <textarea
        aria-label="Comment on the line"
        rows={3}
        autofocus
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onClose();
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && text.trim() !== '' && !busy)
            onSave(text);
        }}
      />
      <div class="buttons">
        <button type="submit" class="primary" disabled={busy || text.trim() === ''}>
          Add to the review
        </button>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </form>
  );
}
