import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serveFleet } from '../support/fleets/fleet-process.ts';
import { processesNaming, type LocalFleet } from '../support/fleets/local-fleet.ts';
import { askableClient, type AskableClient } from './relay-clients.ts';
import { fleetWith, upstream } from './upstream-place.ts';

let fleet: LocalFleet;
let log: string;
beforeEach(() => {
  fleet = fleetWith({});
  log = join(fleet.directory, 'log');
  fleet.configure((config) => {
    config['mcpServers'] = { lab: upstream('plain', { env: { LAB_LOG: log } }) };
  });
});
afterEach(() => fleet[Symbol.asyncDispose]());

const pidOf = async ({ call }: AskableClient) => Number((await call('lab__whoami')).content[0]?.text);
const stdio = () => askableClient('legacy', { env: fleet.env });
const started = () => readFileSync(log, 'utf8').match(/started \d+/g)?.length;

/** The process that was started to host the servers. */
function hostPid(): number {
  const [pid] = processesNaming(fleet.directory).filter((each) =>
    readFileSync(`/proc/${each}/cmdline`, 'utf8').includes('tools-host-main'),
  );
  return pid ?? 0;
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 20));
}

describe.skipIf(process.platform !== 'linux')('the host of upstream servers (found by /proc: Linux)', () => {
  it('has one process for a server, however many clients there are [ORCH-one-child]', async () => {
    const clients = await Promise.all([stdio(), stdio(), stdio()]);
    const pids = await Promise.all(clients.map(pidOf));
    expect(new Set(pids).size).toBe(1);
    await using served = await serveFleet(fleet.env);
    await using http = await askableClient('auto', served);
    // The server takes them over: the process before is gone, and all use the one after it.
    const after = await Promise.all([http, ...clients].map(pidOf));
    expect(new Set(after).size).toBe(1);
    expect(started()).toBe(after[0] === pids[0] ? 1 : 2);
    if (after[0] !== pids[0]) expect(isThere(pids[0] ?? 0)).toBe(false);
    await Promise.all(clients.map((each) => each[Symbol.asyncDispose]()));
  });

  it('that dies in the middle of a call ends it with a clear error, and is replaced', async () => {
    await using client = await stdio();
    const before = await pidOf(client);
    const stop = Promise.withResolvers<void>();
    const running = client.call(
      'lab__slow',
      { steps: 1_000, step_ms: 20 },
      { onprogress: () => stop.resolve() },
    );
    await stop.promise;
    process.kill(hostPid(), 'SIGKILL');
    const ended = await running;
    expect(JSON.parse(ended.content[0]?.text ?? '')).toMatchObject({
      error: { code: 'SERVICE_UNAVAILABLE', details: { reason: 'AGENT_UNAVAILABLE' } },
    });
    const after = await pidOf(client);
    expect(after).not.toBe(before);
    await until(() => !isThere(before));
  });

  it('ends by itself, with all that it started, when nobody uses it', async () => {
    const client = await stdio();
    const server = await pidOf(client);
    const host = hostPid();
    expect(isThere(host)).toBe(true);
    await client[Symbol.asyncDispose]();
    await until(() => !isThere(host) && !isThere(server));
  });

  it('is not needed by a fleet without upstream servers', async () => {
    fleet.configure((config) => {
      delete config['mcpServers'];
    });
    await using client = await stdio();
    await client.client.listTools();
    expect(hostPid()).toBe(0);
  });
});
