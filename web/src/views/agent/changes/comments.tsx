import type { JSX } from 'preact';
import type { Answer } from '../../../../../src/operations/table.ts';
import { useAction } from '../../../api/use-action.ts';
import { OperationButton } from '../../../parts/button.tsx';
import { useDraft } from '../../../api/drafts.ts';
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

/** Escape closes it, and what was written is there when it is opened again; Cancel forgets it. */
export function CommentForm({
  draftKey,
  busy,
  onSave,
  onClose,
}: {
  draftKey: string;
  busy: boolean;
  /** Whether it is saved. */
  onSave: (text: string) => Promise<boolean>;
  onClose: () => void;
}): JSX.Element {
  const { text, set, sent } = useDraft(draftKey);
  const save = async (): Promise<void> => {
    if (text.trim() !== '' && !busy && (await onSave(text))) sent(text);
  };
  return (
    <form
      class="comment"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <textarea
        aria-label="Comment on the line"
        rows={3}
        autofocus
        value={text}
        onInput={(event) => set(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onClose();
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void save();
        }}
      />
      <div class="buttons">
        <button type="submit" class="primary" disabled={busy || text.trim() === ''}>
          Add to the review
        </button>
        <button
          type="button"
          onClick={() => {
            set('');
            onClose();
          }}
        >
          Cancel
        </button>
      </div>
    </form>
  );
}
