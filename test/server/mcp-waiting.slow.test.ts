import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  agentOf,
  askAs,
  idleAgent,
  signalFile,
  until,
  waitIdle,
} from '../support/fleets/fleet-under-test.ts';
import { script } from '../support/script.ts';
import { MCP_CONNECTIONS, openInterfaces, type OpenInterfaces } from './open-interfaces.ts';
import { initialize, stdioMessages } from './raw-mcp.ts';

const agent_name = 'worker';

let interfaces: OpenInterfaces;
beforeAll(async () => {
  interfaces = await openInterfaces();
  const ask = askAs(interfaces.fleet.fleet);
  await idleAgent(ask, agent_name);
  await ask('start_agent_task', { agent_name, task_description: task() });
  await until(
    () => agentOf(ask, agent_name),
    ({ current_task }) => current_task !== null,
  );
});
afterAll(() => interfaces[Symbol.asyncDispose]());

const task = (): string => script({ hold: signalFile(interfaces.fleet, 'go') });

describe('wait_for_agents by MCP', () => {
  it('reports progress while it waits, to a client that gave a token [MCP-progress]', async () => {
    const waits = MCP_CONNECTIONS.map(async (connection) => {
      const client = await interfaces.client(connection);
      const stop = new AbortController();
      const seen: { progress: number; message?: string | undefined }[] = [];
      const waiting = client.call(
        'wait_for_agents',
        { agent_names: agent_name, timeout_seconds: 50 },
        {
          signal: stop.signal,
          onprogress: (progress) => {
            seen.push(progress);
            if (seen.length === 2) stop.abort();
          },
        },
      );
      await expect(waiting, connection.kind).rejects.toThrow();
      expect(seen.map(({ progress }) => progress)).toEqual([1, 2]);
      for (const { message } of seen) expect(message).toContain(`${agent_name} (busy)`);
    });
    await Promise.all(waits);
    const { messages } = await stdioMessages(interfaces.fleet.env, [
      initialize(),
      { method: 'notifications/initialized' },
      call(2, { agent_names: agent_name, timeout_seconds: 0.5 }),
      call(3, { agent_names: agent_name, timeout_seconds: 0.5 }, { progressToken: 'mine' }),
    ]);
    const told = messages.filter(({ method }) => method === 'notifications/progress');
    expect(told.map(({ params }) => (params as { progressToken: string }).progressToken)).toEqual(['mine']);
    expect(new Set(messages.flatMap(({ id }) => id ?? []))).toEqual(new Set([1, 2, 3]));
  });

  it('ends when its client cancels it, and nothing else does [MCP-cancellation]', async () => {
    const begun: Promise<unknown>[] = [];
    for (const connection of MCP_CONNECTIONS) {
      const client = await interfaces.client(connection);
      const stop = new AbortController();
      const input = { agent_names: agent_name, timeout_seconds: 50 };
      const started = Promise.withResolvers<void>();
      begun.push(client.ask('wait_for_agents', input));
      const canceled = client.call('wait_for_agents', input, {
        signal: stop.signal,
        onprogress: () => started.resolve(),
      });
      await started.promise;
      stop.abort();
      await expect(canceled, connection.kind).rejects.toThrow();
      expect(await agentOf(client.ask, agent_name)).toMatchObject({ status: 'busy', current_task: task() });
    }
    writeFileSync(signalFile(interfaces.fleet, 'go'), '');
    // The other waits of the same clients get their answers.
    for (const answer of await Promise.all(begun)) {
      expect(answer).toMatchObject({ timed_out: false, agents: [{ name: agent_name, status: 'idle' }] });
    }
    const [last] = await waitIdle(askAs(interfaces.fleet.fleet), agent_name);
    expect(last).toMatchObject({ last_task: expect.stringContaining('hold'), needs_attention: false });
  });
});

function call(id: number, args: object, _meta: object = {}) {
  return { id, method: 'tools/call', params: { name: 'wait_for_agents', arguments: args, _meta } };
}
