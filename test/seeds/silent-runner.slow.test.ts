import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect } from 'vitest';
import { Fleet } from '../../src/fleet/fleet.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import {
  agentOf,
  agentsOf,
  askAs,
  failure,
  history,
  idleAgent,
  until,
  waitIdle,
  type Ask,
} from '../support/fleets/fleet-under-test.ts';
import { localFleet } from '../support/fleets/local-fleet.ts';
import { script } from '../support/script.ts';
import { runnerPid } from './on-this-machine.ts';

/** The same fleet for somebody who looks some time later. */
let later: Ask;
let ahead = 0;

const it = fleetTest(() =>
  localFleet((config) => {
    const { repository } = config.projects['Setup'] ?? {};
    const directory = dirname(String(repository));
    const setup = `touch "${directory}/begun"; while [ ! -e "${directory}/go" ]; do sleep 0.05; done`;
    config.projects['Slow'] = { ...config.projects['Setup'], setup };
  }),
);
it.beforeAll(async ({ fleet }) => {
  const clock = {
    now: () => {
      const { at, awake_ms, boot } = systemClock.now();
      return { at: at + ahead, awake_ms: awake_ms + ahead, boot };
    },
  };
  later = askAs(new Fleet({ backends: await fleet.opened.backendsOf('local'), clock }));
});

describe('a runner that lives and does not answer', () => {
  it('makes calls fail, and its agent failed after a minute [FR-010, T-cancel_agent_task-unavailable]', async ({
    fleet,
    ask,
  }) => {
    await idleAgent(ask, 'busy');
    const hold = join(fleet.directory, 'go-task');
    await ask('start_agent_task', { agent_name: 'busy', task_description: script({ hold }) });
    await ask('create_agent', { project: 'Slow', task: 'x', name: 'starting' });
    await until(async () => existsSync(join(fleet.directory, 'begun')), Boolean);
    const names = ['busy', 'starting'];
    const pids = names.map((name) => runnerPid(fleet, name));
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    try {
      const [silent] = await Promise.all([
        failure(ask('cancel_agent_task', { agent_name: 'busy' })),
        failure(ask('set_agent_metadata', { agent_name: 'starting', key: 'fleet_mcp_x', value: 'x' })),
      ]);
      expect(silent.code).toBe('SERVICE_UNAVAILABLE');
      for (const name of names) expect((await agentOf(later, name)).status).toBe(name);
      ahead = 61_000;
      for (const name of names) {
        const agent = await agentOf(later, name);
        expect(agent, name).toMatchObject({ status: 'failed', current_task: null, needs_attention: true });
        expect(agent.status_reason).toMatch(/runner has not answered since \d{4}-/);
        const listed = (await agentsOf(later)).find((each) => each.name === name);
        expect(listed).toMatchObject({ status: 'failed', status_reason: agent.status_reason });
      }
    } finally {
      for (const pid of pids) process.kill(pid, 'SIGCONT');
    }
    for (const path of [hold, join(fleet.directory, 'go')]) writeFileSync(path, '');
    await waitIdle(ask, ...names);
    for (const name of names) {
      await ask('start_agent_task', { agent_name: name, task_description: 'are you there?' });
      await waitIdle(ask, name);
      expect((await agentOf(later, name)).status).toBe('idle');
      expect((await history(ask, name))[0]).toMatchObject({ message: 'are you there?', state: 'complete' });
    }
  });
});
