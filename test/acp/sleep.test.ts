import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { processesOf } from '../operations/processes-of.ts';
import { agentOf, askAs, idleAgent, until, waitIdle, type Ask } from '../support/fleet-under-test.ts';
import type { LocalFleet } from '../support/local-fleet.ts';
import { acpFleet, logOf, promptsOf, steps } from './acp-fleet.ts';

let fleet: LocalFleet;
let ask: Ask;
beforeAll(() => {
  fleet = acpFleet({}, { sleep_after: '1s' });
  ask = askAs(fleet.fleet);
});
afterAll(() => fleet[Symbol.asyncDispose]());

describe('an agent that speaks ACP and has nothing to do', () => {
  it('is closed down to its session, and thawed in it by the next task', async () => {
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
