import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { AgentRow } from '../../api/live.ts';
import { useAction } from '../../api/use-action.ts';
import { announce } from '../../parts/announcements.tsx';
import { OperationButton } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';

/** What can be done with several agents at once. */
export function BulkActions({
  agents,
  onDone,
}: {
  agents: readonly AgentRow[];
  onDone: () => void;
}): JSX.Element {
  const [asking, setAsking] = useState<'delete' | 'land'>();
  const stop = useAction('stop_agent');
  const remove = useAction('delete_agent');
  const land = useAction('land_agents');
  const names = agents.map(({ name }) => name);
  const each = async (run: (input: { agent_name: string }) => Promise<unknown>): Promise<void> => {
    setAsking(undefined);
    await Promise.all(names.map((agent_name) => run({ agent_name })));
    onDone();
  };
  const landAll = async (): Promise<void> => {
    setAsking(undefined);
    const answer = await land.run({ agent_names: names });
    for (const { agent_name, state, message } of answer?.results ?? [])
      if (state === 'failed') announce(`${agent_name}: ${message}`, 'problem');
    onDone();
  };
  return (
    <div class="bulk" role="group" aria-label="Selected agents">
      <span>{names.length} selected</span>
      <OperationButton operation="stop_agent" onClick={() => void each(stop.run)}>
        Stop
      </OperationButton>
      <OperationButton operation="land_agents" onClick={() => setAsking('land')} disabled={land.running}>
        {land.running ? 'Landing…' : 'Land…'}
      </OperationButton>
      <OperationButton operation="delete_agent" tone="danger" onClick={() => setAsking('delete')}>
        Delete…
      </OperationButton>
      <button type="button" class="plain" onClick={onDone}>
        Clear the selection
      </button>
      {asking === undefined ? null : (
        <Dialog
          title={
            asking === 'delete'
              ? `Delete ${names.length} agents?`
              : `Land the work of ${names.length} agents?`
          }
          onClose={() => setAsking(undefined)}
        >
          <p>
            <bdi>{names.join(', ')}</bdi>
          </p>
          <p>
            {asking === 'delete'
              ? 'Their workspaces are archived, and work that is nowhere else is kept on a branch.'
              : 'They land in this order, each checked on top of the one before. An agent that fails is left out.'}
          </p>
          <div class="buttons">
            <button
              type="button"
              class={asking === 'delete' ? 'danger' : 'primary'}
              onClick={() => void (asking === 'delete' ? each(remove.run) : landAll())}
            >
              {asking === 'delete' ? 'Delete' : 'Land'}
            </button>
            <button type="button" onClick={() => setAsking(undefined)}>
              Cancel
            </button>
          </div>
        </Dialog>
      )}
    </div>
  );
}
