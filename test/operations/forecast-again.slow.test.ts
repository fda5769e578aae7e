import { execFileSync } from 'node:child_process';
import { describe, expect } from 'vitest';
import { openFleet } from '../../src/fleet/open-fleet.ts';
import { acpFleet, steps } from '../acp/acp-fleet.ts';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import {
  failure,
  idleAgent,
  until,
  waitIdle,
  type Answer,
  type Ask,
} from '../support/fleets/fleet-under-test.ts';
import type { LocalFleet } from '../support/fleets/local-fleet.ts';
import { watchOnce } from '../support/watch-once.ts';

const it = fleetTest(() => {
  const fleet = acpFleet({}, { checks: { tests: 'test ! -e broken' }, forecast: true });
  fleet.configure((config) => {
    config.roles['shell'] = { agent: 'command', command: ['sh', '-s'] };
  });
  return fleet;
});

const commit = (file: string): string =>
  `echo x > ${file}; git add .; git -c user.name=A -c user.email=a@localhost commit --quiet -m ${file}`;

async function worker(ask: Ask, name: string, file: string): Promise<void> {
  await idleAgent(ask, name, { project: 'Setup', role: 'shell', task: commit(file) });
}

/** An agent that runs no commands has a commit all the same. */
async function commitsItself({ opened }: LocalFleet, ask: Ask, name: string): Promise<void> {
  const [backend] = await opened.backendsOf('local');
  const agent = await backend?.find(name);
  if (agent === undefined) throw new Error('there is no agent');
  const cwd = String(backend?.workspaces?.directoryOf(agent));
  execFileSync('sh', ['-c', commit(`${name}.txt`)], { cwd });
  await ask('start_agent_task', { agent_name: name, task_description: steps({ say: 'done' }) });
  await waitIdle(ask, name);
}

function forecast(ask: Ask): Promise<Answer> {
  return until(
    () => ask('show_forecast', { project: 'Setup' }),
    ({ state }) => state === 'done',
  );
}

describe('a project with forecast', () => {
  it('has its forecast made again by fleet serve [CFG-forecast]', async ({ fleet, ask }) => {
    await idleAgent(ask, 'asks', { project: 'Setup', task: steps({ say: 'done' }) });
    await commitsItself(fleet, ask, 'asks');
    await worker(ask, 'one', 'one.txt');
    expect((await failure(ask('show_forecast', { project: 'Setup' }))).details['reason']).toBe('no_forecast');
    await watchOnce(fleet.opened);
    const first = await forecast(ask);
    expect(first).toMatchObject({
      merged: ['one'],
      left_out: ['asks'],
      checks: [{ name: 'tests', state: 'passing', broken_by: null }],
    });
    await worker(ask, 'two', 'broken');
    await watchOnce(fleet.opened);
    // It was made less than a minute ago.
    expect(await ask('show_forecast', { project: 'Setup' })).toEqual(first);
    await using later = openFleet({ env: fleet.env, cwd: fleet.directory });
    await watchOnce(later);
    const second = await forecast(ask);
    expect(second).toMatchObject({
      merged: ['one', 'two'],
      checks: [{ name: 'tests', state: 'failing', broken_by: 'two' }],
    });
    // Another server finds the forecast as it is.
    await using again = openFleet({ env: fleet.env, cwd: fleet.directory });
    await watchOnce(again);
    expect(await forecast(ask)).toEqual(second);
    // A person asks for all agents.
    const asked = await ask('start_forecast', { project: 'Setup', skip_checks: true });
    expect(asked['merged']).toEqual(['asks', 'one', 'two']);
  });
});
