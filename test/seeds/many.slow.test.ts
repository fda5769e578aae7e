import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  agentOf,
  agentsOf,
  askAs,
  history,
  idleAgent,
  until,
  waitIdle,
  type Answer,
  type Ask,
} from '../support/fleets/fleet-under-test.ts';
import { localFleet, type LocalFleet } from '../support/fleets/local-fleet.ts';
import { script } from '../support/script.ts';
import { fleetBranches } from './on-this-machine.ts';

const RUSH = fileURLToPath(new URL('./rush.ts', import.meta.url));
const PROCESSES = 5;

let fleet: LocalFleet;
let ask: Ask;

beforeAll(() => {
  fleet = localFleet((config) => {
    config.max_starting = 10;
  });
  ask = askAs(fleet.fleet);
});
afterAll(() => fleet[Symbol.asyncDispose]());

const file = (name: string): string => join(fleet.directory, name);

/** The outcomes of one call made many times at once by several processes. */
async function rush(count: number, operation: string, input: Answer): Promise<string[]> {
  const go = file(`go-${operation}`);
  const outcomes = Array.from({ length: PROCESSES }, async (_, index) => {
    const args = [RUSH, file(`${operation}-${index}`), go, String(count / PROCESSES)];
    const child = spawn(process.execPath, [...args, operation, JSON.stringify(input)], {
      env: fleet.env,
      cwd: fleet.directory,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    await once(child, 'close');
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as string[];
  });
  await until(
    async () => readdirSync(fleet.directory).filter((name) => name.startsWith(`${operation}-`)),
    (ready) => ready.length === PROCESSES,
  );
  writeFileSync(go, '');
  return (await Promise.all(outcomes)).flat();
}

function tally(outcomes: readonly string[]): Record<string, number> {
  return Object.fromEntries(
    [...new Set(outcomes)].map((code) => [code, outcomes.filter((each) => each === code).length]),
  );
}

describe('many at once', () => {
  it('of 200 tasks for one idle agent one wins [EDGE-03]', async () => {
    await idleAgent(ask, 'wanted');
    const [hold, done] = [file('go-on'), file('done')];
    const outcomes = await rush(200, 'start_agent_task', {
      agent_name: 'wanted',
      task_description: script({ append: done }, { hold }),
    });
    expect(tally(outcomes)).toEqual({ ok: 1, CONFLICT: 199 });
    expect(await agentOf(ask, 'wanted')).toMatchObject({ status: 'busy', queue_length: 0 });
    writeFileSync(hold, '');
    await waitIdle(ask, 'wanted');
    expect(readFileSync(done, 'utf8')).toBe('wanted\n');
    expect(await history(ask, 'wanted')).toHaveLength(2);
  });

  it('of 50 agents with one name one is made [OP-create_agent-same-name]', async () => {
    const outcomes = await rush(50, 'create_agent', { project: 'Setup', task: 'x', name: 'unique' });
    expect(tally(outcomes)).toEqual({ ok: 1, CONFLICT: 49 });
    await waitIdle(ask, 'unique');
    const agents = await agentsOf(ask);
    expect(agents.filter(({ name }) => name === 'unique')).toHaveLength(1);
    const branches = fleetBranches(fleet.repository);
    expect(branches.filter((branch) => branch.startsWith('fleet/unique'))).toEqual(['fleet/unique']);
    expect(readdirSync(join(fleet.home, 'agents'))).toHaveLength(agents.length);
  });

  it('ten agents work at the same time, and each does its own task [SC-007]', async () => {
    const names = Array.from({ length: 10 }, (_, index) => `ten-${index}`);
    const go = file('go-ten');
    const task = script({ append: file('began') }, { hold: go }, { append: file('ended') });
    const lines = (name: string): string[] =>
      existsSync(file(name)) ? readFileSync(file(name), 'utf8').trim().split('\n') : [];
    await Promise.all(
      names.map((name, index) =>
        ask('create_agent', { project: index % 2 ? 'Setup' : 'DataOne', task, name }),
      ),
    );
    await until(
      async () => lines('began'),
      (began) => began.length >= 10,
    );
    expect(lines('began').toSorted()).toEqual(names);
    const busy = await agentsOf(ask, { status_filter: 'busy' });
    expect(busy.map(({ name }) => name)).toEqual(names);
    for (const { current_task } of busy) expect(current_task).toBe(task);
    const idle = await agentsOf(ask, { status_filter: 'idle' });
    expect(idle.length + busy.length).toBe((await agentsOf(ask)).length);
    writeFileSync(go, '');
    await waitIdle(ask);
    expect(lines('ended').toSorted()).toEqual(names);
    for (const name of names) {
      expect(await agentOf(ask, name)).toMatchObject({ status: 'idle', needs_attention: false });
      expect(await history(ask, name)).toMatchObject([{ message: task, state: 'complete' }]);
    }
  });

  it('every valid create, task, cancel and delete succeeds at once [SC-010]', async () => {
    const lives = Array.from({ length: 6 }, async (_, index) => {
      const agent_name = `life-${index}`;
      await ask('create_agent', { project: 'Setup', task: 'begin', name: agent_name });
      await waitIdle(ask, agent_name);
      for (let round = 0; round < 4; round++) {
        const task_description = script({ hold: file('never') });
        await ask('start_agent_task', { agent_name, task_description });
        const canceled = await ask('cancel_agent_task', { agent_name });
        expect(canceled).toMatchObject({ interrupt_sent: true, task: { message: task_description } });
        await waitIdle(ask, agent_name);
        await ask('start_agent_task', { agent_name, task_description: 'quick' });
        await waitIdle(ask, agent_name);
      }
      const rows = await history(ask, agent_name);
      expect(rows.filter((row) => row['state'] === 'complete')).toHaveLength(5);
      expect(rows.filter((row) => row['state'] === 'canceled')).toHaveLength(4);
      return ask('delete_agent', { agent_name });
    });
    expect(await Promise.all(lives)).toHaveLength(6);
    const left = (await agentsOf(ask)).filter(({ name }) => name.startsWith('life-'));
    expect(left).toEqual([]);
  });
});
