import type { JSX } from 'preact';
import { messageOf } from '../../api/api-error.ts';
import { useAction } from '../../api/use-action.ts';
import { useMay } from '../../parts/button.tsx';
import { useDraft } from '../../api/drafts.ts';
import type { Agent } from './agent.ts';

const TAKES_TASKS = new Set(['pending', 'starting', 'busy', 'idle']);

/** Where the next task is written: sent at once to an idle agent, queued for or instead of the running one otherwise. */
export function TaskBox({ agent }: { agent: Agent }): JSX.Element | null {
  const { text, set, sent } = useDraft(`task ${agent.workspace_id}`);
  const task = useAction('start_agent_task', { quiet: true });
  const isBusy = agent.status !== 'idle';
  const send = async (when_busy: 'queue' | 'interrupt'): Promise<void> => {
    if (text.trim() === '' || task.running) return;
    if ((await task.run({ agent_name: agent.name, task_description: text, when_busy })) !== undefined)
      sent(text);
  };
  if (!useMay('start_agent_task')) return null;
  if (!TAKES_TASKS.has(agent.status)) {
    return <p class="task-box quiet">The agent is {agent.status}. Restart it to give it a task.</p>;
  }
  return (
    <form
      class="task-box"
      onSubmit={(event) => {
        event.preventDefault();
        void send('queue');
      }}
    >
      <textarea
        aria-label={`Task for ${agent.name}`}
        placeholder={isBusy ? 'Next task' : 'Task'}
        rows={2}
        value={text}
        onInput={(event) => set(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void send('queue');
        }}
      />
      <div class="buttons">
        <button type="submit" class="primary" disabled={text.trim() === '' || task.running}>
          {isBusy ? 'Queue' : 'Send'} <kbd>Ctrl ↵</kbd>
        </button>
        {agent.status === 'busy' ? (
          <button
            type="button"
            disabled={text.trim() === '' || task.running}
            onClick={() => void send('interrupt')}
          >
            Interrupt and send
          </button>
        ) : null}
        {agent.queue_length > 0 ? <span class="quiet">{agent.queue_length} queued</span> : null}
      </div>
      {task.error === undefined ? null : (
        <p class="error" role="alert">
          {messageOf(task.error)}
        </p>
      )}
    </form>
  );
}
