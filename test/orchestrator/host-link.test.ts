import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { HostLink } from '../../src/orchestrator/host/host-link.ts';

const shown = (status: string) => ({ serverName: 'lab', status, offered: status === 'ready', tools: [] });

it('a change that comes in one piece with the answer before it is not lost', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'fleet-link-'));
  const socket = join(directory, 'host.sock');
  // A host that answers and has a server become ready at the same moment.
  const host = createServer((connection) => {
    connection.once('data', () => {
      const answer = { jsonrpc: '2.0', id: 1, result: { connections: [shown('connecting')] } };
      const change = { jsonrpc: '2.0', method: 'changed', params: { connection: shown('ready') } };
      connection.write(`${JSON.stringify(answer)}\n${JSON.stringify(change)}\n`);
    });
  }).listen(socket);
  await once(host, 'listening');
  const link = await HostLink.open(socket);
  onTestFinished(async () => {
    await link?.[Symbol.asyncDispose]();
    host.close();
    rmSync(directory, { recursive: true, force: true });
  });
  await link?.declare([]);
  expect(link?.connections()).toMatchObject([{ serverName: 'lab', status: 'ready' }]);
});
