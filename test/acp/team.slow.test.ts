import { appendFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  agentOf,
  agentsOf,
  askAs,
  history,
  idleAgent,
  until,
  waitIdle,
  type Ask,
} from '../support/fleets/fleet-under-test.ts';
import type { LocalFleet } from '../support/fleets/local-fleet.ts';
import { runFleet } from '../support/fleets/fleet-process.ts';
import { acpFleet, logOf, steps } from './acp-fleet.ts';

let fleet: LocalFleet;
let ask: Ask;
beforeAll(async () => {
  fleet = acpFleet({ lead: { team: { agents: 3 } } });
  ask = askAs(fleet.fleet);
  await Promise.all([
    idleAgent(ask, 'boss', { role: 'lead', task: steps({ say: 'hello' }) }),
    idleAgent(ask, 'stranger', { task: steps({ say: 'hello' }) }),
  ]);
});
afterAll(() => fleet[Symbol.asyncDispose]());

/** Lets an agent call a tool of one of its servers; what it got. */
async function called(
  agent: string,
  server: string,
  call: string,
  input: object,
): Promise<Record<string, unknown>> {
  await ask('start_agent_task', { agent_name: agent, task_description: steps({ server, call, input }) });
  await waitIdle(ask, agent);
  const said = (await logOf(ask, agent)).findLast(({ message }) => message.startsWith(`${call}: `));
  return JSON.parse(said?.message.slice(call.length + 2) ?? 'null') as Record<string, unknown>;
}

const team = (call: string, input: object) => called('boss', 'team', call, input);

describe('an agent that runs a team', () => {
  it('creates agents, gives them tasks and waits for them, in its own name [MCP-manager-tools]', async () => {
    for (const name of ['one', 'two'])
      await team('create_agent', {
        project: 'Setup',
        name,
        role: 'acp',
        task: steps({ say: `I am ${name}` }),
      });
    const { timed_out } = await team('wait_for_agents', { agent_names: 'one,two', timeout_seconds: 40 });
    expect(timed_out).toBe(false);
    const { task } = await team('start_agent_task', {
      agent_name: 'one',
      task_description: steps({ say: 'more' }),
    });
    expect(task).toMatchObject({ id: expect.any(String) });
    await waitIdle(ask, 'one');
    expect(await agentOf(ask, 'one')).toMatchObject({ created_by: 'agent:boss' });
    expect((await history(ask, 'one'))[0]).toMatchObject({ source: 'ai', state: 'complete' });
  });

  it('cannot touch itself, nor agents that it did not create', async () => {
    for (const agent_name of ['boss', 'stranger']) {
      for (const operation of ['stop_agent', 'delete_agent', 'restart_agent', 'cancel_agent_task']) {
        expect(await team(operation, { agent_name }), `${operation} ${agent_name}`).toMatchObject({
          error: { code: 'FORBIDDEN', details: { reason: 'not_in_team' } },
        });
      }
    }
    expect((await agentsOf(ask)).map(({ name }) => name)).toEqual(['boss', 'one', 'stranger', 'two']);
  });

  it('has no right to answer questions', async () => {
    await expect(team('respond_approval', { id: 'ffffffff-1', decision: 'allow' })).resolves.toMatchObject({
      error: { code: 'FORBIDDEN' },
    });
  });

  it('can have only so many agents, and its agents have no team of their own', async () => {
    const make = (name: string, role = 'acp') =>
      team('create_agent', { project: 'Setup', name, role, task: steps({ say: 'x' }) });
    expect(await make('sub', 'lead')).toMatchObject({ agent: { name: 'sub' } });
    expect(await make('four')).toMatchObject({
      error: { code: 'FORBIDDEN', details: { reason: 'team_full' } },
    });
    await waitIdle(ask, 'sub');
    const inner = { project: 'Setup', name: 'inner', role: 'acp', task: 'x' };
    expect(await called('sub', 'team', 'create_agent', inner)).toMatchObject({
      error: { code: 'FORBIDDEN', details: { reason: 'team_depth' } },
    });
    expect(await team('delete_agent', { agent_name: 'sub', discard_work: true })).toMatchObject({
      agent_name: 'sub',
    });
  });

  it('makes agents from the configuration that it was made with, or from one that was trusted since [CFG-trust-again]', async () => {
    const make = () =>
      team('create_agent', { project: 'Setup', name: 'late', role: 'acp', task: steps({ say: 'x' }) });
    appendFileSync(fleet.configFile, '\n# changed\n');
    expect(await make()).toMatchObject({
      error: { code: 'FORBIDDEN', details: { reason: 'config_not_trusted' } },
    });
    const trusted = await runFleet(['trust', fleet.configFile], { env: fleet.env });
    expect(trusted.code, trusted.stderr).toBe(0);
    expect(await make()).toMatchObject({ agent: { name: 'late' } });
  });
});

describe('any agent that speaks MCP', () => {
  it('reports, sets its metadata and queues a task for itself', async () => {
    const self = (call: string, input: object) => called('stranger', 'fleet', call, input);
    expect(await self('report_task', { message: 'half way', uri: 'https://example.com/1' })).toHaveProperty(
      'recorded_at',
    );
    expect(await self('report_task', { message: 'nothing more', uri: null, state: null })).toHaveProperty(
      'recorded_at',
    );
    expect(await self('report_task', { message: 'bad', uri: 'javascript:1' })).toMatchObject({
      error: { code: 'INVALID_INPUT', details: { field: 'uri' } },
    });
    await self('set_agent_metadata', { key: 'fleet_mcp_mood', value: 'good' });
    await self('start_agent_task', { task_description: steps({ say: 'for myself' }) });
    const rows = await until(
      () => history(ask, 'stranger'),
      (all) =>
        all.some(({ source, state, kind }) => kind === 'task' && source === 'agent' && state === 'complete'),
    );
    expect(rows.findLast(({ kind }) => kind === 'report')).toMatchObject({
      message: 'half way',
      source: 'agent',
    });
    expect((await agentOf(ask, 'stranger')).fleet_metadata).toMatchObject({ fleet_mcp_mood: 'good' });
  });
});
