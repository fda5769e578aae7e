import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { ApiError, messageOf } from '../../../api/api-error.ts';
import { useAction } from '../../../api/use-action.ts';
import { Dialog } from '../../../parts/dialog.tsx';
import { Field } from '../../../parts/field.tsx';
import { SafeLink } from '../../../parts/safe-link.tsx';
import type { Agent } from '../agent.ts';

/** Pushes the branch, and opens or updates its pull request. */
export function PublishDialog({ agent, onClose }: { agent: Agent; onClose: () => void }): JSX.Element {
  const [title, setTitle] = useState('');
  const [body, setBody] = useState('');
  const [draft, setDraft] = useState(false);
  const [published, setPublished] = useState<{
    readonly message: string;
    readonly url: string | undefined;
  }>();
  const publish = useAction('publish_agent', { quiet: true });
  const confirm = async (allow_workflows: boolean): Promise<void> => {
    const answer = await publish.run({
      agent_name: agent.name,
      title: title.trim() === '' ? undefined : title,
      body: body.trim() === '' ? undefined : body,
      draft,
      allow_workflows,
    });
    if (answer !== undefined) setPublished({ message: answer.message, url: answer.pull_request?.url });
  };
  const reason = publish.error instanceof ApiError ? publish.error.reason : undefined;
  return (
    <Dialog title={`Publish the work of ${agent.name}`} onClose={onClose}>
      {published === undefined ? (
        <>
          <Field label="Title" hint="Default: from the results of its tasks">
            {(props) => (
              <input {...props} value={title} onInput={(event) => setTitle(event.currentTarget.value)} />
            )}
          </Field>
          <Field label="Text">
            {(props) => (
              <textarea
                {...props}
                rows={4}
                value={body}
                onInput={(event) => setBody(event.currentTarget.value)}
              />
            )}
          </Field>
          <label class="check">
            <input
              type="checkbox"
              checked={draft}
              onChange={(event) => setDraft(event.currentTarget.checked)}
            />{' '}
            As a draft
          </label>
          {publish.error === undefined ? null : (
            <p class="error" role="alert">
              <bdi>{messageOf(publish.error)}</bdi>
            </p>
          )}
          <div class="buttons">
            <button
              type="button"
              class="primary"
              disabled={publish.running}
              onClick={() => void confirm(false)}
            >
              {publish.running ? 'Publishing…' : 'Publish'}
            </button>
            {reason === 'workflows_changed' ? (
              <button
                type="button"
                class="danger"
                disabled={publish.running}
                onClick={() => void confirm(true)}
              >
                Publish with the changed workflows
              </button>
            ) : null}
            <button type="button" onClick={onClose}>
              Cancel
            </button>
          </div>
        </>
      ) : (
        <>
          <p>
            <bdi>{published.message}</bdi>
          </p>
          {published.url === undefined ? null : (
            <p>
              <SafeLink url={published.url}>{published.url}</SafeLink>
            </p>
          )}
          <button type="button" class="primary" onClick={onClose}>
            Done
          </button>
        </>
      )}
    </Dialog>
  );
}
