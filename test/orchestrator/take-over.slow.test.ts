import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { SteadyServers } from '../../src/orchestrator/host/steady-servers.ts';
import { Orchestrator } from '../../src/orchestrator/orchestrator.ts';
import { ToolsHost } from '../../src/orchestrator/host/tools-host.ts';
import type { ToolServers } from '../../src/orchestrator/servers/tool-servers.ts';
import { definitions, readyPool } from './pool-under-test.ts';
import { upstream } from './upstream-place.ts';

const whoami = async (servers: ToolServers): Promise<string> => {
  const params = { name: 'whoami', arguments: {} };
  const { content } = await servers.request('lab', { method: 'tools/call', params, owner: 'test' });
  return (content as { text: string }[])[0]?.text ?? '';
};

it('calls made while a server takes over reach its process, and no client starts another host', async () => {
  const home = mkdtempSync(join(tmpdir(), 'fleet-take-over-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const log = join(home, 'log');
  const declared = definitions({ lab: upstream('plain', { env: { LAB_LOG: log } }) }, home);
  const before = await ToolsHost.open(home, { yields: true });
  await using first = new SteadyServers({ home, hosts: false });
  await using second = new SteadyServers({ home, hosts: false });
  await Promise.all([first.declare(declared), second.declare(declared)]);
  const old = await whoami(first);
  expect(await whoami(second)).toBe(old);
  await using server = new SteadyServers({ home, hosts: true });
  await server.declare(declared);
  // The host before is still there; nothing that is asked from now on may reach it.
  const asked = [whoami(first), whoami(second), whoami(server)];
  await before?.retired;
  await before?.[Symbol.asyncDispose]();
  const [now] = await Promise.all(asked);
  expect(now).not.toBe(old);
  expect(new Set(await Promise.all(asked))).toEqual(new Set([now]));
  expect(readFileSync(log, 'utf8').match(/started/g)).toHaveLength(2);
});

it('a tool is found that another process has written to disk since the list was made', async () => {
  await using pool = await readyPool('plain');
  // As the offers of a server are that is not linked yet: read from disk, and nobody is told when they change.
  let written = false;
  const orchestrator = new Orchestrator({
    servers: {
      ...pool.servers,
      connections: () => (written ? pool.servers.connections() : []),
      subscribe: () => () => {},
    },
    policy: () => ({ prefix: true, approve: 'destructive' }),
    rules: () => [],
  });
  written = true;
  expect(await orchestrator.find('lab__whoami')).toMatchObject({ name: 'lab__whoami' });
});
