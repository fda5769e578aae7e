import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { CoderBackend } from '../../src/backends/coder/coder-backend.ts';
import { Fleet } from '../../src/fleet/fleet.ts';
import { invoke } from '../../src/operations/invoke.ts';
import { findOperation } from '../../src/operations/table.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { Store } from '../../src/store/store.ts';
import { coderFleet, type CoderFleet } from '../support/fleets/coder-fleet.ts';
import {
  agentOf,
  agentsOf,
  askAs,
  failure,
  HUMAN,
  idleAgent,
  until,
  waitIdle,
} from '../support/fleets/fleet-under-test.ts';

/** Requests after something has happened until whoever waits for it knows; between two looks are 200 ms at least. */
const LOOKS = 6;

/** The same fleet, for which time goes faster. */
function faster(fleet: CoderFleet, store: Store, times: number): CoderBackend {
  const started = performance.now();
  return new CoderBackend({
    name: 'coder',
    server: () => ({ url: fleet.standIn.url, token: fleet.standIn.token, token_env: 'T' }),
    templates: [],
    home: fleet.home,
    store,
    clock: systemClock,
    pace: {
      now: () => (performance.now() - started) * times,
      wait: (ms) => delay(ms / times),
      random: Math.random,
    },
  });
}

describe('agents on Coder', () => {
  it('are in the next list and the next look as their runner and their key-values say [NUM-visible-coder]', async () => {
    await using fleet = await coderFleet();
    const ask = askAs(fleet.fleet);
    await idleAgent(ask, 'seen');
    const [workspace] = fleet.standIn.workspaces;
    for (const [seq, state, status] of [
      [1_000, 'working', 'busy'],
      [1_001, 'idle', 'idle'],
    ] as const) {
      workspace?.report({ state, message: 'by its own', uri: `fleet://status/${seq}` });
      expect(await agentsOf(ask)).toMatchObject([{ name: 'seen', status }]);
    }
    await ask('set_agent_metadata', { agent_name: 'seen', key: 'fleet_mcp_note', value: 'new' });
    expect((await agentOf(ask, 'seen')).fleet_metadata).toMatchObject({ fleet_mcp_note: 'new' });
  });

  it('are ready when their template has made them and their runner says so: nobody waits for more [NUM-create-coder]', async () => {
    await using fleet = await coderFleet();
    const ask = askAs(fleet.fleet);
    fleet.standIn.manners.build_ms = 500;
    await ask('create_agent', { project: 'Setup', task: 'get ready', name: 'newcomer' });
    const [workspace] = fleet.standIn.workspaces;
    if (workspace === undefined) throw new Error('no workspace');
    expect(workspace.latest.job).not.toBe('succeeded');
    let asked: number | undefined;
    workspace.watchers.add(() => {
      if (workspace.latest_status?.state === 'idle') asked ??= fleet.standIn.requests.length;
    });
    await waitIdle(ask, 'newcomer');
    expect(asked).toBeDefined();
    expect(fleet.standIn.requests.length - (asked ?? 0)).toBeLessThan(LOOKS);
  });

  it('are gone when the build that deletes them has ended: nobody waits for more [NUM-delete-coder]', async () => {
    await using fleet = await coderFleet();
    const ask = askAs(fleet.fleet);
    await idleAgent(ask, 'goes');
    fleet.standIn.manners.build_ms = 500;
    const [workspace] = fleet.standIn.workspaces;
    if (workspace === undefined) throw new Error('no workspace');
    let asked: number | undefined;
    workspace.watchers.add(() => {
      if (workspace.isDeleted) asked ??= fleet.standIn.requests.length;
    });
    await ask('delete_agent', { agent_name: 'goes' });
    expect(asked).toBeDefined();
    expect(fleet.standIn.requests.length - (asked ?? 0)).toBeLessThan(LOOKS);
  });

  it('that were seen a moment ago are given a task by one request, and looked at when they do not take it', async () => {
    await using fleet = await coderFleet();
    const ask = askAs(fleet.fleet);
    await idleAgent(ask, 'near');
    const [workspace] = fleet.standIn.workspaces;
    if (workspace === undefined) throw new Error('no workspace');
    const before = fleet.standIn.requests.length;
    await ask('start_agent_task', { agent_name: 'NEAR', task_description: 'true' });
    const asked = fleet.standIn.requests.slice(before).filter((each) => !each.includes('workspaceagents'));
    expect(asked).toEqual([expect.stringMatching(/^POST .*\/apps\/fleet\/v1\/tasks$/)]);
    await waitIdle(ask, 'near');
    const { preset_id, version_id } = workspace.latest;
    workspace.build('stop', { preset_id, version_id, parameters: {} });
    await until(
      async () => workspace.isBuilding,
      (building) => !building,
    );
    const refused = await failure(ask('start_agent_task', { agent_name: 'near', task_description: 'true' }));
    expect(refused).toMatchObject({ code: 'INVALID_INPUT', details: { reason: 'agent_offline' } });
  });

  it('that take long to delete are reported, and the answer is that it goes on [OP-delete_agent-goes-on]', async () => {
    await using fleet = await coderFleet();
    await idleAgent(askAs(fleet.fleet), 'slow');
    fleet.standIn.manners.build_ms = 6_000;
    using store = new Store(fleet.home);
    const quick = new Fleet({ backends: [faster(fleet, store, 100)], clock: systemClock });
    const said: string[] = [];
    const operation = findOperation('delete_agent');
    if (operation === undefined) throw new Error('no delete_agent');
    const answer = await invoke(
      operation,
      { agent_name: 'slow' },
      { fleet: quick, caller: HUMAN, progress: (message: string) => said.push(message) },
    );
    expect(answer).toMatchObject({
      agent_name: 'slow',
      message: expect.stringContaining('is still being deleted'),
    });
    expect(said).toContainEqual(expect.stringContaining('slow'));
    expect(fleet.standIn.workspaces[0]?.isDeleted).toBe(false);
  });
});
