import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { ApiError, messageOf } from '../../../api/api-error.ts';
import { useAction } from '../../../api/use-action.ts';
import { Dialog } from '../../../parts/dialog.tsx';
import { Field } from '../../../parts/field.tsx';
import { visible } from '../../../parts/visible.ts';
import type { Agent } from '../agent.ts';

/** Lands what was reviewed, and nothing else: the commit that the page shows goes along. */
export function LandDialog({
  agent,
  head: newestHead,
  uncommitted: isUncommitted,
  onClose,
}: {
  agent: Agent;
  head: string | null;
  uncommitted: boolean;
  onClose: () => void;
}): JSX.Element {
  // What was reviewed when the dialog was opened: the agent may go on working behind it.
  const [{ head, uncommitted }] = useState({ head: newestHead, uncommitted: isUncommitted });
  const [strategy, setStrategy] = useState('merge');
  const [rest, setRest] = useState(!uncommitted ? 'refuse' : agent.status === 'idle' ? 'include' : 'leave');
  const [into, setInto] = useState('');
  const [skip, setSkip] = useState(false);
  const [remove, setRemove] = useState(false);
  const [landed, setLanded] = useState<{
    readonly id: string;
    readonly message: string;
    readonly done: boolean;
  }>();
  const land = useAction('land_agent', { quiet: true });
  const undo = useAction('undo_land');
  const confirm = async (assign_to_agent: boolean): Promise<void> => {
    const answer = await land.run({
      agent_name: agent.name,
      head: head === null ? undefined : head,
      into: into.trim() === '' ? undefined : into.trim(),
      strategy,
      uncommitted: rest,
      skip_checks: skip,
      assign_to_agent,
      delete_after: remove,
    });
    if (answer !== undefined)
      setLanded({
        id: answer.land_id,
        message:
          answer.state === 'running'
            ? 'The checks still run. The work lands when they pass.'
            : answer.message,
        done: answer.state === 'landed',
      });
  };
  const takeBack = async (): Promise<void> => {
    if (landed !== undefined && (await undo.run({ land_id: landed.id })) !== undefined) onClose();
  };
  const reason = land.error instanceof ApiError ? land.error.reason : undefined;
  return (
    <Dialog title={`Land the work of ${agent.name}`} onClose={onClose}>
      {landed !== undefined ? (
        <>
          <p>
            <bdi>{landed.message}</bdi>
          </p>
          <div class="buttons">
            <button type="button" class="primary" onClick={onClose}>
              Done
            </button>
            {landed.done ? (
              <button type="button" disabled={undo.running} onClick={() => void takeBack()}>
                Undo
              </button>
            ) : null}
          </div>
        </>
      ) : (
        <>
          <p class="quiet">
            The merged files are made and checked first. If a step fails, nothing is changed.
          </p>
          <Field label="How">
            {(props) => (
              <select
                {...props}
                value={strategy}
                onChange={(event) => setStrategy(event.currentTarget.value)}
              >
                <option value="merge">Merge commit</option>
                <option value="squash">One commit</option>
                <option value="rebase">Each commit on top</option>
              </select>
            )}
          </Field>
          <Field label="Into" hint={`Default: ${agent.git?.base ?? 'its base'}`}>
            {(props) => (
              <input {...props} value={into} onInput={(event) => setInto(event.currentTarget.value)} />
            )}
          </Field>
          {uncommitted ? (
            <Field label="Uncommitted work">
              {(props) => (
                <select {...props} value={rest} onChange={(event) => setRest(event.currentTarget.value)}>
                  <option value="include">Include it</option>
                  <option value="leave">Leave it with the agent</option>
                </select>
              )}
            </Field>
          ) : null}
          <label class="check">
            <input
              type="checkbox"
              checked={skip}
              onChange={(event) => setSkip(event.currentTarget.checked)}
            />{' '}
            Skip the checks
          </label>
          <label class="check">
            <input
              type="checkbox"
              checked={remove}
              onChange={(event) => setRemove(event.currentTarget.checked)}
            />{' '}
            Delete the agent afterwards
          </label>
          {land.error === undefined ? null : <LandProblem error={land.error} />}
          <div class="buttons">
            <button type="button" class="primary" disabled={land.running} onClick={() => void confirm(false)}>
              {land.running ? 'Landing…' : 'Land'}
            </button>
            {reason === 'conflicts' || reason === 'checks_failed' ? (
              <button type="button" disabled={land.running} onClick={() => void confirm(true)}>
                Give it back to {agent.name}
              </button>
            ) : null}
            <button type="button" onClick={onClose}>
              Cancel
            </button>
          </div>
        </>
      )}
    </Dialog>
  );
}

function LandProblem({ error }: { error: unknown }): JSX.Element {
  const details = error instanceof ApiError ? error.details : {};
  const paths = Array.isArray(details['paths']) ? details['paths'].map(String) : [];
  const outputs = Array.isArray(details['outputs'])
    ? (details['outputs'] as readonly { name: string; output: string | null }[])
    : [];
  return (
    <div class="problem" role="alert">
      <p>
        <bdi>{messageOf(error)}</bdi>
      </p>
      {paths.length === 0 ? null : (
        <ul>
          {paths.map((path) => (
            <li key={path}>
              <bdi>{visible(path)}</bdi>
            </li>
          ))}
        </ul>
      )}
      {outputs.map(({ name, output }) => (
        <pre key={name} class="log" tabIndex={0} aria-label={`Output of ${name}`}>
          <bdi>{visible(output ?? '')}</bdi>
        </pre>
      ))}
    </div>
  );
}
