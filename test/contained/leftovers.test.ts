import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AgentRows } from '../../src/backends/local/records/agent-rows.ts';
import { Store } from '../../src/store/store.ts';
import { until } from '../support/fleets/fleet-under-test.ts';
import { ContainedFleet, LEVELS, why } from './level.ts';

const KINDS = ['forked twice', 'session of its own', 'nohup', 'deaf to signals', 'closed its descriptors'];

describe.each(LEVELS)('what a task leaves behind $name', (level) => {
  let fleet: ContainedFleet;
  beforeAll(() => {
    if (level.skip !== undefined) return;
    fleet = new ContainedFleet(level);
    fleet.create('sony', 'shell', 'true');
  });
  afterAll(() => fleet?.[Symbol.asyncDispose]());

  it.skipIf(level.skip !== undefined)(`is gone when the task has ended${why(level)}`, async () => {
    const left = await leaving(fleet, 'exit 0');
    fleet.idle('sony');
    expect(left()).toEqual([]);
  });

  it.skipIf(level.skip !== undefined)(`is gone when the task was canceled${why(level)}`, async () => {
    const left = await leaving(fleet, 'sleep 1000');
    expect(left()).toEqual(KINDS);
    fleet.call('cancel_agent_task', { agent_name: 'sony' });
    fleet.idle('sony');
    expect(left()).toEqual([]);
  });

  it.skipIf(level.skip !== undefined)(`is gone when its runner was killed${why(level)}`, async () => {
    const left = await leaving(fleet, 'sleep 1000');
    using store = new Store(fleet.home);
    process.kill(new AgentRows(store).byName('sony')?.runner?.pid ?? 0, 'SIGKILL');
    await until(
      async () => fleet.call('show_agent', { agent_name: 'sony' })['agent'] as { status: string },
      ({ status }) => status !== 'busy',
    );
    expect(left()).toEqual([]);
  });

  it.skipIf(level.skip !== undefined)(`is gone when its agent was deleted${why(level)}`, async () => {
    const left = await leaving(fleet, 'sleep 1000');
    fleet.call('delete_agent', { agent_name: 'sony', discard_work: true });
    expect(left()).toEqual([]);
  });
});

/** Gives a task that starts one of each kind; answers, once they are there, how to look for those that are left. */
async function leaving(fleet: ContainedFleet, then: string): Promise<() => string[]> {
  const id = randomUUID();
  const ready = join(fleet.marks, id);
  const lasting = (kind: string): string => `sh -c 'while :; do sleep 1; done' 'left ${id} ${kind}'`;
  const script = [
    `( ( ${lasting('forked twice')} & ) & )`,
    `setsid ${lasting('session of its own')} &`,
    `nohup ${lasting('nohup')} > /dev/null 2>&1 &`,
    `sh -c 'trap "" INT TERM HUP; while :; do sleep 1; done' 'left ${id} deaf to signals' &`,
    `${lasting('closed its descriptors')} <&- >&- 2>&- &`,
    `while [ "$(cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' '\\n' | grep -c '^left ${id}')" -lt 5 ]; do sleep 0.02; done`,
    `touch '${ready}'`,
    then,
  ].join('\n');
  fleet.call('start_agent_task', { agent_name: 'sony', task_description: script });
  await until(async () => existsSync(ready), Boolean);
  return () => KINDS.filter((kind) => commandLines().some((words) => words.includes(`left ${id} ${kind}`)));
}

function commandLines(): string[][] {
  return readdirSync('/proc').flatMap((name) => {
    try {
      return /^\d+$/.test(name) ? [readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0')] : [];
    } catch {
      return [];
    }
  });
}
