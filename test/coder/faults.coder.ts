import { join } from 'node:path';
import { expect, it } from 'vitest';
import { FleetError } from '../../src/domain/errors.ts';
import { openFleet } from '../../src/fleet/open-fleet.ts';
import { FAULTS, startFaultProxy, type Fault } from '../support/coder/fault-proxy.ts';
import { agentsOf, askAs, history, idleAgent, waitIdle, type Answer } from '../support/fleet-under-test.ts';
import { realFleet } from './real-fleet.ts';

const OPERATIONS = 300;
const NAMES = ['tough-1', 'tough-2', 'tough-3'];

it.skipIf(process.env['FLEET_CODER_MORE'] === undefined)(
  'every one of 300 operations on a real server ends right or with a clear error while a fifth of the requests fail (only with FLEET_CODER_MORE, because it takes minutes)',
  async () => {
    await using fleet = realFleet();
    let broken = false;
    const choose = (): Fault | undefined =>
      broken && Math.random() < 0.2 ? FAULTS[Math.floor(Math.random() * (FAULTS.length - 2))] : undefined;
    await using proxy = await startFaultProxy(fleet.coder.url, choose);
    const env = { ...fleet.env, CODER_URL: proxy.url, FLEET_HOME: join(fleet.directory, 'through-faults') };
    await using opened = openFleet({ env, cwd: fleet.directory });
    const ask = askAs(opened.fleet);
    for (const name of NAMES) await idleAgent(ask, name);
    broken = true;
    const accepted = new Map(NAMES.map((name) => [name, new Set<unknown>()]));
    const unsure = new Set<string>();
    const failures: Record<string, number> = {};
    const attempt = async (name: string, work: () => Promise<Answer>): Promise<Answer | undefined> => {
      try {
        return await work();
      } catch (thrown) {
        if (!(thrown instanceof FleetError)) throw thrown;
        expect(thrown.code, thrown.message).not.toBe('INTERNAL_ERROR');
        expect(JSON.stringify(thrown.toBody())).not.toContain(fleet.coder.token);
        failures[thrown.code] = (failures[thrown.code] ?? 0) + 1;
        if (thrown.code === 'SERVICE_UNAVAILABLE') unsure.add(name);
        return undefined;
      }
    };
    for (let count = 0; count < OPERATIONS; count++) {
      const agent_name = NAMES[count % NAMES.length] ?? '';
      const which = Math.random();
      if (which < 0.35) {
        const answer = await attempt(agent_name, () =>
          ask('start_agent_task', { agent_name, task_description: `task ${count}`, when_busy: 'queue' }),
        );
        const id = (answer?.['task'] as Answer | undefined)?.['id'];
        if (id !== undefined) accepted.get(agent_name)?.add(id);
      } else if (which < 0.55) await attempt(agent_name, () => ask('show_agent', { agent_name }));
      else if (which < 0.75) await attempt(agent_name, () => ask('list_agents'));
      else if (which < 0.9) await attempt(agent_name, () => ask('show_agent_task_history', { agent_name }));
      else if (which < 0.98)
        await attempt(agent_name, () =>
          ask('set_agent_metadata', { agent_name, key: 'fleet_mcp_n', value: String(count) }),
        );
      else await attempt(agent_name, () => ask('restart_agent', { agent_name }));
    }
    broken = false;
    await waitIdle(ask, ...NAMES);
    expect((await agentsOf(ask)).map(({ name }) => name)).toEqual(NAMES);
    for (const [name, ids] of accepted) {
      const rows = await history(ask, name);
      const known = rows.map(({ id }) => id);
      expect(new Set(known).size).toBe(known.length);
      for (const id of ids) expect(known, name).toContain(id);
      // What nobody heard of may have arrived; nothing else did.
      if (!unsure.has(name)) expect(known).toHaveLength(ids.size + 1);
    }
    expect(proxy.passed.join('\n')).not.toContain(fleet.coder.token);
    console.log(`${OPERATIONS} operations, ${proxy.passed.length} requests, ${proxy.met} faults:`, failures);
  },
  900_000,
);
