import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import { agentOf, failure, idleAgent, waitIdle, type Ask } from '../support/fleets/fleet-under-test.ts';
import { processesNaming } from '../support/fleets/local-fleet.ts';

const MEGABYTE = 1024 * 1024;
/** An empty runner has about 60 MB, and as much again is garbage that nobody was in need of collecting. */
const MEMORY_LIMIT = 300 * MEGABYTE;

const it = fleetTest();
it.beforeAll(async ({ ask }) => {
  await idleAgent(ask, 'loud');
  await ask('create_agent', { project: 'Setup', role: 'shell', name: 'flood', task: 'true' });
  await waitIdle(ask, 'flood');
});

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
const logCount = async (ask: Ask): Promise<number> =>
  Number((await ask('show_agent_log', { agent_name: 'flood' }))['total_count']);

describe('a program that prints at full speed', () => {
  it('comes to its end, and its log is bounded on disk and in memory', async ({ fleet, ask }) => {
    const before = await fleet.fleet.facts('flood');
    await ask('start_agent_task', {
      agent_name: 'flood',
      task_description: 'yes a line as a build would print it, again and again and again | head -c 60000000',
    });
    await waitIdle(ask, 'flood');
    const { workspace_id } = await agentOf(ask, 'flood');
    const journal = join(fleet.home, 'agents', workspace_id, 'journal.db');
    expect(await logCount(ask)).toBeLessThanOrEqual(55_000);
    expect(sizeOf(journal) + sizeOf(`${journal}-wal`)).toBeLessThan(30 * MEGABYTE);
    const { facts } = await fleet.fleet.facts('flood');
    const dropped = facts.flatMap(({ body }) => (body.kind === 'log.cut' ? [body.entries] : []));
    expect(dropped.reduce((sum, each) => sum + each, 0)).toBeGreaterThan(900_000);
    expect(facts.length - before.facts.length).toBeLessThan(20);
    for (const pid of processesNaming(fleet.directory)) expect(peakMemory(pid)).toBeLessThan(MEMORY_LIMIT);
  });

  it('is answered for and can be canceled while it prints', async ({ ask }) => {
    await ask('start_agent_task', { agent_name: 'flood', task_description: 'yes' });
    expect(
      (await failure(ask('start_agent_task', { agent_name: 'flood', task_description: 'x' }))).code,
    ).toBe('CONFLICT');
    expect(await ask('cancel_agent_task', { agent_name: 'flood' })).toMatchObject({ interrupt_sent: true });
    await waitIdle(ask, 'flood');
    expect(await agentOf(ask, 'loud')).toMatchObject({ status: 'idle' });
  });

  it('in one line without end is cut into pieces that are cut', async ({ ask }) => {
    const before = await logCount(ask);
    await ask('start_agent_task', {
      agent_name: 'flood',
      task_description: `head -c 3000000 /dev/zero | tr '\\0' x`,
    });
    await waitIdle(ask, 'flood');
    const { logs } = (await ask('show_agent_log', { agent_name: 'flood', page_size: 20 })) as {
      logs: { message: string }[];
    };
    expect(await logCount(ask)).toBeLessThan(before + 60);
    expect(logs[0]?.message).toMatch(/^x+…? ?(\(\d+ more characters cut\))?$/u);
    for (const { message } of logs) expect(message.length).toBeLessThan(17_000);
  });
});

function peakMemory(pid: number): number {
  try {
    return 1024 * Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
