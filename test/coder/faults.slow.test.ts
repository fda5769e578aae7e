import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { CoderBackend } from '../../src/backends/coder/coder-backend.ts';
import { FleetError } from '../../src/domain/values/errors.ts';
import { Fleet } from '../../src/fleet/fleet.ts';
import { openFleet } from '../../src/fleet/open-fleet.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { Store } from '../../src/store/store.ts';
import { FAULTS, startFaultProxy, type Fault } from '../support/coder/fault-proxy.ts';
import { startStandIn } from '../support/coder/stand-in.ts';
import { coderFleet, template } from '../support/fleets/coder-fleet.ts';
import { agentOf, agentsOf, askAs, history, waitIdle } from '../support/fleets/fleet-under-test.ts';
import { randomFrom } from '../support/random-from.ts';
import { coderBackends } from '../../src/upkeep/coder/coder-backend-of.ts';

/** As many as are asked for; a few hundred show the same in a moment. */
const OPERATIONS = Number(process.env['FLEET_FAULT_OPERATIONS'] ?? 300);

describe('between Fleet and a Coder that fails', () => {
  it('every command succeeds while two requests in a row fail, whatever the fault [NUM-two-failures]', async () => {
    await using fleet = await coderFleet();
    const turns = new Map<string, number>();
    const kinds: readonly Fault[] = FAULTS.filter((fault) => fault !== '429');
    let next = 0;
    const choose = ({ method, url }: IncomingMessage): Fault | undefined => {
      const key = `${method} ${url}`;
      const turn = (turns.get(key) ?? 0) + 1;
      turns.set(key, turn);
      return turn % 3 === 0 ? undefined : kinds[next++ % kinds.length];
    };
    await using proxy = await startFaultProxy(fleet.standIn.url, choose);
    const env = { ...fleet.env, CODER_URL: proxy.url };
    await using opened = openFleet({ env, cwd: fleet.directory });
    const ask = askAs(opened.fleet);
    expect(await ask('list_agent_projects')).toMatchObject({ total_count: 2 });
    await ask('create_agent', { project: 'Setup', task: 'one', name: 'tough' });
    await waitIdle(ask, 'tough');
    await ask('start_agent_task', { agent_name: 'tough', task_description: 'two' });
    await waitIdle(ask, 'tough');
    expect((await history(ask, 'tough')).map(({ message, state }) => [message, state])).toEqual([
      ['two', 'complete'],
      ['one', 'complete'],
    ]);
    await ask('set_agent_metadata', { agent_name: 'tough', key: 'fleet_mcp_x', value: '1' });
    expect(await ask('stop_agent', { agent_name: 'tough' })).toMatchObject({ status: 'stopped' });
    await ask('restart_agent', { agent_name: 'tough' });
    await waitIdle(ask, 'tough');
    expect((await agentOf(ask, 'tough')).fleet_metadata).toMatchObject({ fleet_mcp_x: '1' });
    await ask('delete_agent', { agent_name: 'tough' });
    expect(await agentsOf(ask)).toEqual([]);
    expect(proxy.met).toBeGreaterThan(20);
    expect(fleet.standIn.workspaces).toHaveLength(1);
    expect(proxy.passed.join('\n')).not.toContain(fleet.standIn.token);
  });

  it('says at once that it is down after some failures, and asks again later', async () => {
    await using fleet = await coderFleet();
    let down = true;
    await using proxy = await startFaultProxy(fleet.standIn.url, () => (down ? 'reset-before' : undefined));
    const clock = { at: 0 };
    const [backend] = await coderBackends(fleet.opened);
    if (backend === undefined) throw new Error('no backend');
    using store = new Store(join(fleet.directory, 'home'));
    const quick = new CoderBackend({
      name: 'quick',
      server: () => ({ url: proxy.url, token: fleet.standIn.token, token_env: 'T' }),
      templates: [],
      home: fleet.home,
      store,
      clock: systemClock,
      pace: { now: () => clock.at, wait: async () => {}, random: () => 0.5 },
    });
    const list = async (): Promise<unknown> => quick.list().catch((thrown: unknown) => thrown);
    for (let time = 0; time < 3; time++) expect(await list()).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    const asked = proxy.passed.length;
    expect(await list()).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      details: { reason: 'coder_unavailable' },
    });
    expect(proxy.passed).toHaveLength(asked);
    down = false;
    clock.at += 6_000;
    expect(await list()).toEqual([]);
  });

  it('sends no requests on a path while the server is rate limiting', async () => {
    await using fleet = await coderFleet();
    const ask = askAs(fleet.fleet);
    let asked = 0;
    await using proxy = await startFaultProxy(fleet.standIn.url, () => (asked++ === 0 ? '429' : undefined));
    await using opened = openFleet({ env: { ...fleet.env, CODER_URL: proxy.url }, cwd: fleet.directory });
    // One second is waited for; the answer then is the whole one.
    expect(await askAs(opened.fleet)('list_agents')).toMatchObject({ agents: [] });
    expect(asked).toBe(2);
    expect(await ask('list_agents')).toMatchObject({ agents: [] });
  });

  it(`ends each of many operations right or with a clear error, with a fifth of all requests failing`, async () => {
    const directory = mkdtempSync(join(tmpdir(), 'fleet-faults-'));
    await using standIn = await startStandIn([template('setup', 'Setup', '')], join(directory, 'workspaces'));
    Object.assign(standIn.manners, { runners: false, build_ms: 0 });
    const random = randomFrom(7);
    const choose = (): Fault | undefined =>
      random() < 0.2 ? FAULTS[Math.floor(random() * (FAULTS.length - 1))] : undefined;
    await using proxy = await startFaultProxy(standIn.url, choose);
    using store = new Store(directory);
    const started = performance.now();
    const backend = new CoderBackend({
      name: 'coder',
      server: () => ({ url: proxy.url, token: standIn.token, token_env: 'T' }),
      templates: [],
      home: directory,
      store,
      clock: systemClock,
      // Time goes two hundred times as fast.
      pace: { now: () => (performance.now() - started) * 200, wait: (ms) => delay(ms / 200), random },
    });
    const ask = askAs(new Fleet({ backends: [backend], clock: systemClock }));
    const alive = new Set<string>();
    const unsure = new Set<string>();
    const failures = new Map<string, number>();
    const attempt = async (name: string, work: () => Promise<unknown>): Promise<boolean> => {
      try {
        await work();
        return true;
      } catch (thrown) {
        if (!(thrown instanceof FleetError)) throw thrown;
        expect(thrown.code, thrown.message).not.toBe('INTERNAL_ERROR');
        expect(JSON.stringify(thrown.toBody())).not.toContain(standIn.token);
        failures.set(thrown.code, (failures.get(thrown.code) ?? 0) + 1);
        if (thrown.code === 'SERVICE_UNAVAILABLE') unsure.add(name);
        return false;
      }
    };
    for (let count = 0; count < OPERATIONS; count++) {
      const name = `a-${Math.floor(random() * 25)}`;
      const which = random();
      if (which < 0.3) {
        const input = { project: 'Setup', role: 'coder', task: 'x', name };
        if (await attempt(name, () => ask('create_agent', input))) alive.add(name);
      } else if (which < 0.5) {
        if (await attempt(name, () => ask('delete_agent', { agent_name: name }))) alive.delete(name);
      } else if (which < 0.6) await attempt(name, () => ask('stop_agent', { agent_name: name }));
      else if (which < 0.7) await attempt(name, () => ask('restart_agent', { agent_name: name }));
      else if (which < 0.85) await attempt(name, () => ask('show_agent', { agent_name: name }));
      else await attempt('', () => ask('list_agents'));
    }
    const present = standIn.workspaces.filter((workspace) => !workspace.isDeleted);
    const names = present.map(({ identity }) => identity.name);
    expect(new Set(names).size).toBe(names.length);
    const ids = standIn.workspaces.map(({ builds }) => builds[0]?.parameters['fleet_agent_id']);
    expect(new Set(ids).size).toBe(ids.length);
    for (const name of alive) if (!unsure.has(name)) expect(names).toContain(name);
    for (const name of names) if (!unsure.has(name)) expect([...alive]).toContain(name);
    expect(proxy.passed.join('\n')).not.toContain(standIn.token);
    expect(proxy.met).toBeGreaterThan(OPERATIONS / 10);
    console.log(`${OPERATIONS} operations, ${proxy.passed.length} requests, ${proxy.met} faults:`, failures);
    rmSync(directory, { recursive: true, force: true });
  }, 3_600_000);
});
