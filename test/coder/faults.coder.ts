import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { listBy } from '../../src/backends/coder/workspaces/list-workspaces.ts';
import { FleetError } from '../../src/domain/values/errors.ts';
import { openFleet } from '../../src/fleet/open-fleet.ts';
import { FAULTS, startFaultProxy, type Fault } from '../support/coder/fault-proxy.ts';
import { clientOf } from '../support/coder/real-coder.ts';
import {
  agentsOf,
  askAs,
  history,
  idleAgent,
  waitIdle,
  type Answer,
} from '../support/fleets/fleet-under-test.ts';
import { randomFrom } from '../support/random-from.ts';
import { realFleet } from './real-fleet.ts';

const OPERATIONS = 300;
const NAMES = ['tough-1', 'tough-2', 'tough-3'];
/** A build takes seconds: one workspace is made, one deleted and one restarted in each round of so many operations. */
const ROUND = 75;

it('ends each of 300 operations on a real server right or with a clear error, with a fifth of all requests failing', async () => {
  await using fleet = await realFleet();
  let broken = false;
  const random = randomFrom(7);
  const choose = (): Fault | undefined =>
    broken && random() < 0.2 ? FAULTS[Math.floor(random() * FAULTS.length)] : undefined;
  await using proxy = await startFaultProxy(fleet.coder.url, choose);
  const home = join(fleet.directory, 'through-faults');
  const env = { ...fleet.env, CODER_URL: proxy.url, FLEET_HOME: home };
  await using opened = openFleet({ env, cwd: fleet.directory });
  const ask = askAs(opened.fleet);
  for (const name of NAMES) await idleAgent(ask, name);
  const alive = new Set(NAMES);
  const unsure = new Set<string>();
  const accepted = new Map(NAMES.map((name) => [name, new Set<unknown>()]));
  const failures: Record<string, number> = {};
  const attempt = async (name: string, operation: string, input: Answer): Promise<Answer | undefined> => {
    try {
      return await ask(operation, input);
    } catch (thrown) {
      if (!(thrown instanceof FleetError)) throw thrown;
      // Nothing is asked of an agent that could not be done, unless nobody knows what became of an earlier request.
      const expected = unsure.has(name) ? /^(?!INTERNAL_ERROR)/ : /^(SERVICE_UNAVAILABLE|RATE_LIMITED)$/;
      expect(thrown.code, `${operation}: ${thrown.message}`).toMatch(expected);
      expect(JSON.stringify(thrown.toBody())).not.toContain(fleet.coder.token);
      failures[thrown.code] = (failures[thrown.code] ?? 0) + 1;
      if (thrown.code === 'SERVICE_UNAVAILABLE') unsure.add(name);
      return undefined;
    }
  };
  broken = true;
  for (let count = 0; count < OPERATIONS; count++) {
    const agent_name = NAMES[count % NAMES.length] ?? '';
    const brief = `brief-${Math.floor(count / ROUND)}`;
    const turn = count % ROUND;
    const which = random();
    if (turn === 10) {
      const input = { project: 'Setup', task: 'x', name: brief };
      if ((await attempt(brief, 'create_agent', input)) !== undefined) alive.add(brief);
    } else if (turn === 50) {
      const gone = await attempt(brief, 'delete_agent', { agent_name: brief });
      if (gone !== undefined) alive.delete(brief);
    } else if (turn === 60) await attempt(agent_name, 'restart_agent', { agent_name });
    else if (which < 0.35) {
      const input = { agent_name, task_description: `task ${count}`, when_busy: 'queue' };
      const answer = await attempt(agent_name, 'start_agent_task', input);
      const id = (answer?.['task'] as Answer | undefined)?.['id'];
      if (id !== undefined) accepted.get(agent_name)?.add(id);
    } else if (which < 0.55) await attempt(agent_name, 'show_agent', { agent_name });
    else if (which < 0.75) await attempt(agent_name, 'list_agents', {});
    else if (which < 0.9) await attempt(agent_name, 'show_agent_task_history', { agent_name });
    else
      await attempt(agent_name, 'set_agent_metadata', {
        agent_name,
        key: 'fleet_mcp_n',
        value: String(count),
      });
  }
  broken = false;
  await waitIdle(ask, ...NAMES);
  const present = (await listBy(clientOf(fleet.coder), 'owner:me')).map(({ name }) => name).toSorted();
  expect((await agentsOf(ask)).map(({ name }) => name).toSorted()).toEqual(present);
  expect(present.filter((name) => !unsure.has(name))).toEqual(
    [...alive].filter((name) => !unsure.has(name)).toSorted(),
  );
  expect(present).toEqual(expect.arrayContaining(NAMES));
  for (const [name, ids] of accepted) {
    const rows = await history(ask, name);
    const known = rows.map(({ id }) => id);
    expect(new Set(known).size).toBe(known.length);
    for (const id of ids) expect(known, name).toContain(id);
    // What nobody heard of may have arrived; nothing else did.
    if (!unsure.has(name)) expect(known).toHaveLength(ids.size + 1);
  }
  expect(proxy.met).toBeGreaterThan(OPERATIONS / 10);
  expect(proxy.passed.join('\n')).not.toContain(fleet.coder.token);
  for (const place of [home, fleet.coder.workspaces_dir])
    expect(filesWith(place, fleet.coder.token)).toEqual([]);
  console.log(`${OPERATIONS} operations, ${proxy.passed.length} requests, ${proxy.met} faults:`, failures);
}, 600_000);

function filesWith(directory: string, text: string): readonly string[] {
  return globSync('**', { cwd: directory }).filter((path) => {
    const file = join(directory, path);
    return statSync(file, { throwIfNoEntry: false })?.isFile() === true && readFileSync(file).includes(text);
  });
}
