import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NewSessionRequest } from '@agentclientprotocol/sdk';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { processesNaming } from '../support/fleets/local-fleet.ts';
import { scriptText } from '../support/model-server/model-script.ts';
import { startModelServer, type ModelServer } from '../support/model-server/model-server.ts';
import { startAcpClient, type AcpClient } from './acp-client.ts';
import { cachedAdapter, without } from './agents-cache.ts';
import { offlineEnvironment } from './offline-environment.ts';
import { WRITE } from './write-steps.ts';

type Step = Parameters<typeof scriptText>[0][number];

let model: ModelServer;
let directory: string;
beforeEach(async () => {
  model = await startModelServer();
  directory = realpathSync(mkdtempSync(join(tmpdir(), 'fleet-adapters-')));
});
afterEach(async () => {
  await model[Symbol.asyncDispose]();
  // What an adapter has started outlives its kill for a moment, and writes.
  await expect.poll(() => processesNaming(directory), { timeout: 60_000 }).toEqual([]);
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
});

describe.each(Object.entries(WRITE))('the real %s', (name, write) => {
  const { missing, why } = without(name);

  it.skipIf(missing)(`writes a file, is canceled, and is loaded again after kill -9${why}`, async () => {
    const file = join(directory, 'made.txt');
    const session: NewSessionRequest = { cwd: directory, mcpServers: [] };
    await using first = await start(name);
    const { sessionId } = await first.agent.request('session/new', session);
    const prompt = (on: AcpClient, ...steps: Step[]) =>
      on.agent.request('session/prompt', {
        sessionId,
        prompt: [{ type: 'text', text: scriptText(steps) }],
      });

    const answer = await prompt(first, write(file, 'by a real agent'), { text: 'I wrote it.' });
    expect(answer.stopReason).toBe('end_turn');
    expect(readFileSync(file, 'utf8')).toBe('by a real agent');
    expect(spoken(first)).toContain('I wrote it.');

    const hold = join(directory, 'never');
    const canceled = prompt(first, { text: 'this is never said to its end', hold });
    await expect.poll(() => spoken(first), { timeout: 60_000 }).toContain('this is');
    await first.agent.notify('session/cancel', { sessionId });
    expect((await canceled).stopReason).toBe('cancelled');
    expect(existsSync(hold)).toBe(false);

    await first.kill();
    await using second = await start(name);
    await second.agent.request('session/load', { ...session, sessionId });
    expect(spoken(second)).toContain('I wrote it.');
    expect((await prompt(second, { text: 'Here I am again.' })).stopReason).toBe('end_turn');
    expect(spoken(second)).toContain('Here I am again.');
    expect(JSON.stringify(model.requests.at(-1)?.body)).toContain('by a real agent');
  });
});

async function start(name: string): Promise<AcpClient> {
  const adapter = cachedAdapter(name);
  if (adapter === undefined) throw new Error(`${name} is not in the cache`);
  const started = startAcpClient(adapter, offlineEnvironment(name, model.url, join(directory, 'home')));
  await started.agent.request('initialize', {
    protocolVersion: 1,
    clientCapabilities: {},
    clientInfo: { name: 'fleet-test', version: '0' },
  });
  return started;
}

function spoken({ updates }: AcpClient): string {
  return updates
    .map((update) =>
      update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text'
        ? update.content.text
        : '',
    )
    .join('');
}
