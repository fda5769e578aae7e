import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useAction } from '../../api/use-action.ts';
import { OperationButton } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { go } from '../../router.tsx';
import type { Agent } from './agent.ts';

const OFFLINE = new Set(['stopped', 'failed', 'canceled']);

export function AgentActions({ agent }: { agent: Agent }): JSX.Element {
  const { name, status } = agent;
  const [deleting, setDeleting] = useState(false);
  const [forking, setForking] = useState(false);
  const cancel = useAction('cancel_agent_task');
  const stop = useAction('stop_agent');
  const restart = useAction('restart_agent');
  const acknowledge = useAction('acknowledge_agent');
  return (
    <div class="buttons">
      {status === 'busy' ? (
        <OperationButton
          operation="cancel_agent_task"
          disabled={cancel.running}
          onClick={() => void cancel.run({ agent_name: name })}
        >
          Cancel the task
        </OperationButton>
      ) : null}
      {agent.needs_attention ? (
        <OperationButton
          operation="acknowledge_agent"
          disabled={acknowledge.running}
          onClick={() => void acknowledge.run({ agent_name: name })}
        >
          Mark as seen
        </OperationButton>
      ) : null}
      {OFFLINE.has(status) ? (
        <OperationButton
          operation="restart_agent"
          tone="primary"
          disabled={restart.running}
          onClick={() => void restart.run({ agent_name: name })}
        >
          {restart.running ? 'Restarting…' : 'Restart'}
        </OperationButton>
      ) : (
        <OperationButton
          operation="stop_agent"
          disabled={stop.running}
          onClick={() => void stop.run({ agent_name: name })}
        >
          Stop
        </OperationButton>
      )}
      <OperationButton operation="fork_agent" onClick={() => setForking(true)}>
        Fork…
      </OperationButton>
      <OperationButton operation="delete_agent" tone="danger" onClick={() => setDeleting(true)}>
        Delete…
      </OperationButton>
      {deleting ? <DeleteDialog agent={agent} onClose={() => setDeleting(false)} /> : null}
      {forking ? <ForkDialog agent={agent} onClose={() => setForking(false)} /> : null}
    </div>
  );
}

function DeleteDialog({ agent, onClose }: { agent: Agent; onClose: () => void }): JSX.Element {
  const remove = useAction('delete_agent');
  const confirm = async (): Promise<void> => {
    if ((await remove.run({ agent_name: agent.name })) === undefined) return;
    onClose();
    go('/fleet');
  };
  return (
    <Dialog title={`Delete ${agent.name}?`} onClose={onClose}>
      <p>
        Its workspace is archived for 30 days, and work that is nowhere else is kept on a branch. A running
        task ends.
      </p>
      <div class="buttons">
        <button type="button" class="danger" disabled={remove.running} onClick={() => void confirm()}>
          {remove.running ? 'Deleting…' : 'Delete'}
        </button>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </Dialog>
  );
}

function ForkDialog({ agent, onClose }: { agent: Agent; onClose: () => void }): JSX.Element {
  const fork = useAction('fork_agent');
  const [task, setTask] = useState('');
  const confirm = async (): Promise<void> => {
    const answer = await fork.run({ agent_name: agent.name, task: task.trim() === '' ? undefined : task });
    if (answer === undefined) return;
    onClose();
    go(`/agents/${encodeURIComponent(answer.agent.name)}`);
  };
  return (
    <Dialog title={`Fork ${agent.name}`} onClose={onClose}>
      <p>A new agent starts from the newest checkpoint, with uncommitted files. This one stays as it is.</p>
      <label for="fork-task">Its first task (default: the spec of {agent.name})</label>
      <textarea
        id="fork-task"
        rows={3}
        value={task}
        onInput={(event) => setTask(event.currentTarget.value)}
      />
      <div class="buttons">
        <button type="button" class="primary" disabled={fork.running} onClick={() => void confirm()}>
          Fork
        </button>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </Dialog>
  );
}
