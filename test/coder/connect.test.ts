import { expect, it } from 'vitest';
import { coderFleet } from '../support/fleets/coder-fleet.ts';
import { agentOf, askAs, failure, history, until, waitIdle } from '../support/fleets/fleet-under-test.ts';
import { runFleet } from '../support/fleets/fleet-process.ts';

const REASON = 'agent is taking too long to connect';

it('an agent whose workspace agent never connects fails with the reason of Coder, and goes on after a restart that works', async () => {
  await using fleet = await coderFleet();
  const ask = askAs(fleet.fleet);
  const { manners, workspaces } = fleet.standIn;
  manners.connects = false;
  const created = runFleet(
    ['create', 'Setup', 'echo done', '--name', 'lost', '--role', 'coder', '--wait', '--json'],
    { env: fleet.env },
  );
  await until(
    async () => workspaces.find(({ identity }) => identity.name === 'lost')?.agent?.status,
    (status) => status === 'connecting',
  );
  expect(await agentOf(ask, 'lost')).toMatchObject({
    status: 'starting',
    status_reason: expect.stringContaining('waiting for its workspace agent to connect'),
  });

  workspaces[0]?.timeOut();
  const ended = await created;
  expect(ended.code).toBe(1);
  expect(ended.stdout + ended.stderr).toContain(REASON);
  expect(await agentOf(ask, 'lost')).toMatchObject({
    status: 'failed',
    status_reason: expect.stringContaining(REASON),
    needs_attention: true,
  });
  expect(await ask('wait_for_agents', { agent_names: 'lost' })).toMatchObject({
    timed_out: false,
    agents: [{ name: 'lost', status: 'failed' }],
  });
  expect(await history(ask, 'lost')).toMatchObject([
    { message: 'echo done', state: 'queued', result: expect.stringContaining(REASON) },
  ]);
  const refused = await failure(ask('start_agent_task', { agent_name: 'lost', task_description: 'x' }));
  expect(refused).toMatchObject({ code: 'INVALID_INPUT', details: { reason: 'agent_offline' } });
  expect(refused.message).toContain(REASON);

  manners.connects = true;
  await ask('restart_agent', { agent_name: 'lost' });
  await waitIdle(ask, 'lost');
  expect(await history(ask, 'lost')).toMatchObject([{ message: 'echo done', state: 'complete' }]);
});
