import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { AgentView } from '../../src/domain/agent.ts';
import { runFleet, type Finished } from '../support/fleets/fleet-process.ts';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import {
  agentOf,
  agentsOf,
  failure,
  history,
  waitIdle,
  type Answer,
  type Ask,
} from '../support/fleets/fleet-under-test.ts';
import { localFleet, type LocalFleet } from '../support/fleets/local-fleet.ts';
import { script } from '../support/script.ts';

const it = fleetTest(() =>
  localFleet((config) => {
    config.roles['missing'] = { agent: 'command', command: ['fleet-test-no-such-program'] };
  }),
);

const run = (fleet: LocalFleet, ...args: string[]): Promise<Finished> => runFleet(args, { env: fleet.env });

/** Runs a command for people: it must succeed, and say each of these words. */
async function says(
  fleet: LocalFleet,
  args: readonly string[],
  ...words: readonly (string | RegExp)[]
): Promise<void> {
  const { code, stdout, stderr } = await run(fleet, ...args);
  expect({ args, code, stderr: code === 0 ? '' : stderr }).toEqual({ args, code: 0, stderr: '' });
  for (const word of words) expect(stdout).toMatch(word);
}

const file = (fleet: LocalFleet, name: string): string => join(fleet.directory, name);
const newest = async (ask: Ask): Promise<Answer> => (await history(ask, 'sony'))[0] ?? {};

describe('the friendly commands', () => {
  it('each do their operation [CLI-friendly]', async ({ fleet, ask }) => {
    await Promise.all([
      says(fleet, ['projects'], 'Setup', 'DataOne', 'Development container'),
      says(fleet, ['roles', 'setup'], 'coder', 'scripted', 'Does what it is told'),
    ]);

    const first = script({ say: 'hello from sony' }, { report: 'first report' });
    await says(
      fleet,
      ['create', 'setup', '--name', 'sony', '--spec', 'the spec', '--wait', first],
      "Agent 'sony' created",
    );
    // The end of a task is in the journal a moment before it is in the list.
    await waitIdle(ask, 'sony');
    expect(await agentOf(ask, 'sony')).toMatchObject({
      project: 'Setup',
      role: 'scripted',
      spec: 'the spec',
    });
    await Promise.all([
      says(fleet, ['list'], 'sony', 'idle', 'Setup'),
      says(fleet, ['show', 'sony'], 'sony', 'idle', 'the spec'),
      says(fleet, ['log', 'sony'], 'hello from sony'),
      says(fleet, ['history', 'sony'], 'first report', 'complete'),
    ]);
    expect(await newest(ask)).toMatchObject({ kind: 'report', message: 'first report' });

    await says(fleet, ['task', 'sony', script({ hold: file(fleet, 'go') })], "agent 'sony'");
    await says(fleet, ['task', 'sony', '--queue', 'the next'], "agent 'sony'");
    expect(await agentOf(ask, 'sony')).toMatchObject({ status: 'busy', queue_length: 1 });
    expect((await run(fleet, 'task', 'sony', 'refused')).code).toBe(4);
    await says(fleet, ['cancel', 'sony'], 'sony');
    await says(fleet, ['wait', 'sony'], 'sony', 'idle');
    expect(await history(ask, 'sony')).toMatchObject([
      { message: 'the next', state: 'complete' },
      { state: 'canceled' },
      { kind: 'report' },
      { state: 'complete' },
    ]);

    expect((await run(fleet, 'task', 'sony', '--wait', script({ exit: 4 }))).code).toBe(1);
    expect(await agentOf(ask, 'sony')).toMatchObject({ needs_attention: true });
    await says(fleet, ['ack', 'sony'], 'sony');
    expect(await agentOf(ask, 'sony')).toMatchObject({ needs_attention: false });
    await says(fleet, ['meta', 'set', 'sony', 'fleet_mcp_colour', 'blue']);
    expect((await agentOf(ask, 'sony')).fleet_metadata).toMatchObject({ fleet_mcp_colour: 'blue' });
    await says(fleet, ['meta', 'sony'], 'fleet_mcp_colour', 'blue');

    await says(fleet, ['stop', 'sony'], 'stopped');
    expect(await agentOf(ask, 'sony')).toMatchObject({ status: 'stopped' });
    await says(fleet, ['restart', 'sony'], 'sony');
    await waitIdle(ask, 'sony');
    await says(fleet, ['delete', 'sony'], "Agent 'sony' deleted");
    expect((await failure(agentOf(ask, 'sony'))).code).toBe('NOT_FOUND');
    expect(await agentsOf(ask)).toEqual([]);
  });
});

it('shows the first lines of a long value, and all of it where metadata is asked for', async ({
  fleet,
  ask,
}) => {
  await ask('create_agent', { project: 'Setup', name: 'wordy', task: 'x' });
  const value = Array.from({ length: 400 }, (_, index) => `line ${index + 1}`).join('\n');
  await ask('set_agent_metadata', { agent_name: 'wordy', key: 'fleet_mcp_long', value });
  const [shown, all] = await Promise.all([run(fleet, 'show', 'wordy'), run(fleet, 'meta', 'wordy')]);
  for (const word of ['line 1\n', 'line 5\n', '… and 395 more lines: fleet meta wordy'])
    expect(shown.stdout).toContain(word);
  expect(shown.stdout).not.toContain('line 6');
  expect(all.stdout).toContain('line 400');
  await ask('delete_agent', { agent_name: 'wordy' });
});

describe('fleet call', () => {
  it('prints one JSON document and exits by the error table [CLI-call-json]', async ({ fleet, ask }) => {
    const create = (input: Answer): string[] => ['create_agent', JSON.stringify({ task: 'x', ...input })];
    const cases: readonly [args: string[], code: number, answer: object, stdin?: string][] = [
      [['list_agent_projects'], 0, { total_count: 2 }],
      [create({ project: 'Setup', name: 'papi' }), 0, { agent: { name: 'papi' } }],
      [['show_agent', '-'], 0, { agent: { name: 'papi' } }, '{"agent_name": "papi"}'],
      [create({ project: 'Setup', name: 'no good' }), 2, { error: { code: 'INVALID_INPUT' } }],
      [['list_agents', 'nonsense'], 2, { error: { code: 'INVALID_INPUT' } }],
      [['list_agents', '{"more": 1}'], 2, { error: { code: 'INVALID_INPUT', details: { field: 'more' } } }],
      [['show_agent', '{"agent_name": "nobody"}'], 3, { error: { code: 'NOT_FOUND' } }],
      [['no_operation'], 3, { error: { code: 'NOT_FOUND' } }],
      [create({ project: 'Setup', name: 'PAPI' }), 4, { error: { code: 'CONFLICT' } }],
      [['report_task', '{"message": "x"}'], 5, { error: { code: 'FORBIDDEN' } }],
      [create({ project: 'Setup', role: 'missing' }), 7, { error: { code: 'SERVICE_UNAVAILABLE' } }],
      [['create_agent', '-'], 8, { error: { code: 'TOO_LARGE' } }, 'x'.repeat(5 * 1024 * 1024)],
    ];
    for (const [args, code, answer, stdin = ''] of cases) {
      const result = await runFleet(['call', ...args], { env: fleet.env, stdin });
      expect({ args: args.slice(0, 1), code: result.code, stderr: result.stderr }).toEqual({
        args: args.slice(0, 1),
        code,
        stderr: '',
      });
      expect(JSON.parse(result.stdout)).toMatchObject(answer);
      expect(result.stdout.trimEnd()).not.toContain('\n');
    }
    const { agent } = await ask('show_agent', { agent_name: 'papi' });
    expect((agent as AgentView).name).toBe('papi');
    await waitIdle(ask, 'papi');
  });
});
