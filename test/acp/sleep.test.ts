import { describe, expect } from 'vitest';
import { processesOf } from '../operations/processes-of.ts';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import { agentOf, idleAgent, until, waitIdle } from '../support/fleets/fleet-under-test.ts';
import { acpFleet, logOf, promptsOf, steps } from './acp-fleet.ts';

const it = fleetTest(() => acpFleet({}, { sleep_after: '1s' }));

describe('an agent that speaks ACP and has nothing to do', () => {
  it('is closed down to its session, and thawed in it by the next task', async ({ fleet, ask }) => {
    const { workspace_id } = await idleAgent(ask, 'sony', { task: steps({ say: 'hello' }) });
    await until(
      async () => processesOf(fleet, workspace_id),
      (left) => left.length === 0,
    );
    expect(await agentOf(ask, 'sony')).toMatchObject({ status: 'idle' });
    await ask('start_agent_task', { agent_name: 'sony', task_description: steps({ say: 'awake' }) });
    await waitIdle(ask, 'sony');
    expect((await logOf(ask, 'sony')).at(-1)?.message).toBe('awake');
    expect(promptsOf(fleet, workspace_id)).toHaveLength(2);
  });
});

describe('an agent that speaks ACP and was deleted', () => {
  it('goes on in its session when it is restored', async ({ fleet, ask }) => {
    const { workspace_id } = await idleAgent(ask, 'papi', { task: steps({ say: 'hello' }) });
    await ask('delete_agent', { agent_name: 'papi' });
    await ask('restore_agent', { workspace_id });
    await ask('restart_agent', { agent_name: 'papi' });
    await waitIdle(ask, 'papi');
    await ask('start_agent_task', { agent_name: 'papi', task_description: steps({ say: 'back' }) });
    await waitIdle(ask, 'papi');
    expect((await logOf(ask, 'papi')).at(-1)?.message).toBe('back');
    expect(promptsOf(fleet, workspace_id)).toHaveLength(2);
  });
});
