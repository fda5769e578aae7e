import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { expect } from 'vitest';
import { agentPaths } from '../../src/backends/local/records/paths.ts';
import { runFleet } from '../support/fleets/fleet-process.ts';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import { agentOf, failure, idleAgent, until, type Ask } from '../support/fleets/fleet-under-test.ts';
import type { LocalFleet } from '../support/fleets/local-fleet.ts';
import { script } from '../support/script.ts';
import { runnerOf } from './processes-of.ts';

const it = fleetTest();

it('is deleted by all who delete it at once, while it works', async ({ fleet, ask }) => {
  await ask('create_agent', { name: 'busy', project: 'Setup', task: script({ hold: '/nowhere' }) });
  await until(
    () => agentOf(ask, 'busy'),
    ({ status }) => status === 'busy',
  );
  const ended = await Promise.all(
    Array.from({ length: 4 }, () => runFleet(['delete', 'busy'], { env: fleet.env })),
  );
  for (const { code, stderr } of ended) expect([0, 3], stderr).toContain(code);
  await expect(agentOf(ask, 'busy')).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

it.skipIf(process.platform !== 'linux').for([
  ['acknowledge_agent', {}],
  ['set_agent_metadata', { key: 'fleet_mcp_x', value: 'y' }],
  ['stop_agent', {}],
  ['restart_agent', {}],
] as const)(
  '%s looks again when the runner goes away in the middle of it (found by /proc, on Linux)',
  async ([operation, input], { fleet, ask }) => {
    const name = operation.replaceAll('_', '-');
    const taken = await leavingRunner(fleet, ask, name);
    await ask(operation, { agent_name: name, ...input });
    expect(taken()).toBe(true);
  },
);

it.skipIf(process.platform !== 'linux')(
  'says what to do when it cannot be done twice (found by /proc, on Linux)',
  async ({ fleet, ask }) => {
    const taken = await leavingRunner(fleet, ask, 'twice');
    const { code, message, details } = await failure(ask('cancel_agent_task', { agent_name: 'twice' }));
    expect({ code, details }).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      details: { reason: 'runner_cut_off' },
    });
    expect(message).toContain('show_agent');
    expect(taken()).toBe(true);
  },
);

/** Makes an agent whose runner takes one request and is gone before it answers; says whether it took one. */
async function leavingRunner(fleet: LocalFleet, ask: Ask, name: string): Promise<() => boolean> {
  const { workspace_id } = await idleAgent(ask, name);
  const pid = runnerOf(fleet, workspace_id);
  if (pid !== undefined) process.kill(pid, 'SIGKILL');
  await until(
    async () => runnerOf(fleet, workspace_id),
    (found) => found === undefined,
  );
  const { socket } = agentPaths(fleet.home, workspace_id);
  rmSync(socket, { force: true });
  let taken = false;
  const server = createServer((connection) =>
    connection.once('data', () => {
      server.close();
      rmSync(socket, { force: true });
      connection.destroy();
      taken = true;
    }),
  );
  server.listen(socket);
  await once(server, 'listening');
  return () => taken;
}
