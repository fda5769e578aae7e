import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useAction } from '../../../api/use-action.ts';
import { announce } from '../../../parts/announcements.tsx';
import { OperationButton } from '../../../parts/button.tsx';
import type { Agent } from '../agent.ts';
import { LandDialog } from './land-dialog.tsx';
import { PublishDialog } from './publish-dialog.tsx';

/** Update, checks, publishing and landing of an agent's work. */
export function WorkActions({
  agent,
  head,
  uncommitted,
  empty,
}: {
  agent: Agent;
  head: string | null;
  uncommitted: boolean;
  empty: boolean;
}): JSX.Element {
  const [open, setOpen] = useState<'land' | 'publish'>();
  const update = useAction('update_agent');
  const check = useAction('check_agent');
  const runChecks = async (): Promise<void> => {
    const answer = await check.run({ agent_name: agent.name, again: true });
    if (answer !== undefined)
      announce(`Checks of ${agent.name}: ${answer.state}`, answer.state === 'failing' ? 'problem' : 'news');
  };
  return (
    <div class="buttons">
      {agent.git !== null && agent.git.behind > 0 ? (
        <OperationButton
          operation="update_agent"
          disabled={update.running}
          onClick={() => void update.run({ agent_name: agent.name })}
        >
          Update from {agent.git.base ?? 'the base'} ({agent.git.behind} behind)
        </OperationButton>
      ) : null}
      {agent.checks === null ? null : (
        <OperationButton operation="check_agent" disabled={check.running} onClick={() => void runChecks()}>
          {check.running ? 'Checking…' : 'Run the checks'}
        </OperationButton>
      )}
      <OperationButton operation="publish_agent" disabled={empty} onClick={() => setOpen('publish')}>
        Publish…
      </OperationButton>
      <OperationButton operation="land_agent" tone="primary" disabled={empty} onClick={() => setOpen('land')}>
        Land…
      </OperationButton>
      {open === 'land' ? (
        <LandDialog agent={agent} head={head} uncommitted={uncommitted} onClose={() => setOpen(undefined)} />
      ) : null}
      {open === 'publish' ? <PublishDialog agent={agent} onClose={() => setOpen(undefined)} /> : null}
    </div>
  );
}
