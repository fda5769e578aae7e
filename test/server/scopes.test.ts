import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { terminalUser } from '../../src/cli/calls/run-operation.ts';
import { OPERATIONS } from '../../src/operations/table.ts';
import { runFleet } from '../support/fleets/fleet-process.ts';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import {
  agentsOf,
  failure,
  history,
  signalFile,
  waitIdle,
  type Answer,
  type Ask,
  checkedAgent,
} from '../support/fleets/fleet-under-test.ts';
import type { LocalFleet } from '../support/fleets/local-fleet.ts';
import { connectClient } from '../support/mcp-clients.ts';
import { initialize, type Message } from './raw-mcp.ts';
import { WORK_CHANGES, WORK_LOOKS } from '../support/places/work-life.ts';
import { withoutAsOf } from '../support/without-as-of.ts';

const READ = [
  'list_agents',
  'show_agent',
  'list_agent_projects',
  'list_agent_roles',
  'show_agent_task_history',
  'show_agent_log',
  'show_agent_conversation',
  'show_agent_timeline',
  'show_doctor',
  'show_agent_diff',
  'show_agent_checks',
  'wait_for_agents',
  'list_approvals',
  'list_tool_agents',
  'list_kept',
  ...WORK_LOOKS,
];
const OPERATE = [
  'create_agent',
  'delete_agent',
  'restart_agent',
  'stop_agent',
  'start_agent_task',
  'cancel_agent_task',
  'set_agent_metadata',
  'acknowledge_agent',
  'restore_agent',
  'check_agent',
  ...WORK_CHANGES,
];
const SELF = [
  'show_agent',
  'show_agent_diff',
  'start_agent_task',
  'show_agent_task_history',
  'show_agent_log',
  'set_agent_metadata',
  'report_task',
];

const it = fleetTest();
it.beforeAll(async ({ ask }) => {
  await Promise.all([checkedAgent(ask, 'sony'), checkedAgent(ask, 'me', { role: 'shell', task: 'true' })]);
  await ask('start_forecast', { project: 'Setup' });
});

/** Good inputs for an operation on an agent. */
function inputFor(operation: string, agent_name = 'sony'): Answer {
  const values: Answer = {
    agent_name,
    project: 'Setup',
    task: 'x',
    task_description: 'x',
    key: 'fleet_mcp_note',
    value: 'x',
    message: 'x',
    id: 'ffffffff-1',
    decision: 'allow',
    workspace_id: '00000000-0000-4000-8000-000000000000',
    agent_names: agent_name === 'sony' ? 'sony,me' : `${agent_name},me`,
    land_id: 'ffffffff-2',
    path: 'x',
    line: 1,
    text: 'x',
    count: 2,
  };
  const shape = OPERATIONS.find(({ name }) => name === operation)?.input.shape ?? {};
  const known = Object.fromEntries(Object.entries(values).filter(([key]) => key in shape));
  return operation === 'revoke_token' ? { name: 'x' } : known;
}

const stateOfFleet = async (fleet: LocalFleet, ask: Ask) =>
  withoutAsOf({ agents: await agentsOf(ask), events: fleet.fleet.events?.latest() });

describe('fleet mcp', () => {
  it('may read and operate unless told otherwise [INTERFACE-mcp-scopes]', async ({ fleet }) => {
    const offered = async (...args: string[]): Promise<string[]> => {
      await using client = await connectClient('SDK v2, modern era', {
        env: fleet.env,
        args: [...args, '--tools', 'all'],
      });
      return (await client.tools()).map(({ name }) => name).toSorted();
    };
    expect(await offered()).toEqual([...READ, ...OPERATE].toSorted());
    expect(await offered('--scopes', 'read')).toEqual(READ.toSorted());
    expect(await offered('--scopes', 'operate')).toEqual(OPERATE.toSorted());
    expect(await offered('--scopes=read,operate')).toEqual([...READ, ...OPERATE].toSorted());
    for (const scopes of ['', 'admin', 'read,', 'self', '--json']) {
      const { code, stdout, stderr } = await runFleet(['mcp', `--scopes=${scopes}`], { env: fleet.env });
      expect({ code, stdout }, scopes).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain('is not a scope');
    }
  });

  it('with the scope read can look and change nothing [OP-scope-read]', async ({ fleet, ask }) => {
    await using client = await connectClient('SDK v1', { env: fleet.env, args: ['--scopes', 'read'] });
    const before = await stateOfFleet(fleet, ask);
    for (const operation of READ) await client.ask(operation, inputFor(operation));
    for (const { name } of OPERATIONS.filter((each) => !READ.includes(each.name))) {
      const error = await failure(client.ask(name, inputFor(name)));
      expect(error, name).toMatchObject({ code: 'FORBIDDEN', details: { scopes: expect.any(Array) } });
      expect(error.message).toContain(name);
    }
    expect(await stateOfFleet(fleet, ask)).toEqual(before);
  });

  it('without the scope operate cannot change anything, and with it can [OP-scope-operate]', async ({
    fleet,
    ask,
  }) => {
    const before = await stateOfFleet(fleet, ask);
    for (const scopes of ['read', 'approve', 'read,approve']) {
      await using client = await connectClient('SDK v1', { env: fleet.env, args: ['--scopes', scopes] });
      for (const operation of OPERATE) {
        const error = await failure(client.ask(operation, inputFor(operation)));
        expect(error, `${operation} with ${scopes}`).toMatchObject({ code: 'FORBIDDEN' });
        expect(error.details['scopes']).toContain('operate');
      }
    }
    expect(await stateOfFleet(fleet, ask)).toEqual(before);
    await using operator = await connectClient('SDK v1', { env: fleet.env, args: ['--scopes', 'operate'] });
    const tried = new Set<string>();
    for (const operation of ['set_agent_metadata', 'acknowledge_agent', 'start_agent_task', 'stop_agent']) {
      await operator.ask(operation, inputFor(operation));
      tried.add(operation);
    }
    for (const operation of OPERATE.filter((each) => !tried.has(each))) {
      const input = {
        ...inputFor(operation, 'nobody'),
        ...(operation === 'create_agent' ? { role: 'no' } : {}),
        ...(operation === 'race_agents' ? { roles: 'no' } : {}),
        ...(operation === 'start_forecast' ? { project: 'no' } : {}),
      };
      expect((await failure(operator.ask(operation, input))).code, operation).toBe('NOT_FOUND');
    }
    expect((await failure(operator.ask('list_agents'))).code).toBe('FORBIDDEN');
    await ask('restart_agent', { agent_name: 'sony' });
    await waitIdle(ask, 'sony');
  });
});

describe('the terminal', () => {
  it('has all scopes [OP-scope-terminal]', async ({ fleet }) => {
    const call = async (operation: string, input: Answer): Promise<number | null> =>
      (await runFleet(['call', operation, JSON.stringify(input)], { env: fleet.env })).code;
    expect(terminalUser(process.env).scopes).toEqual(new Set(['read', 'operate', 'approve']));
    expect(await call('list_agents', {})).toBe(0);
    expect(await call('set_agent_metadata', inputFor('set_agent_metadata'))).toBe(0);
    const { opened } = fleet;
    expect(opened.ledger.auditRows(1)).toMatchObject([
      {
        operation: 'set_agent_metadata',
        door: 'cli',
        principal: expect.stringMatching(/^user:/),
        outcome: 'ok',
      },
    ]);
  });
});

describe('an agent', () => {
  /** What the agent `me` gets when it runs a shell script in its task. */
  const inside = async (ask: Ask, script: string): Promise<void> => {
    await ask('start_agent_task', { agent_name: 'me', task_description: script });
    await waitIdle(ask, 'me');
  };

  it('may use what is for itself, about itself alone, by MCP [OP-scope-self]', async ({ fleet, ask }) => {
    const [request, answer] = [signalFile(fleet, 'in.jsonl'), signalFile(fleet, 'out.jsonl')];
    const calls = SELF.flatMap((name) => [
      [name, { ...inputFor(name, 'ME'), ...(name === 'report_task' ? { message: 'by MCP' } : {}) }] as const,
      [name, inputFor(name, 'sony')] as const,
    ]);
    const lines: Message[] = [
      initialize(),
      { method: 'notifications/initialized' },
      { id: 2, method: 'tools/list' },
      ...calls.map(([name, args], index) => ({
        id: 100 + index,
        method: 'tools/call',
        params: { name, arguments: args },
      })),
      { id: 3, method: 'tools/call', params: { name: 'list_agents', arguments: {} } },
    ];
    writeFileSync(request, lines.map((line) => `${JSON.stringify({ jsonrpc: '2.0', ...line })}\n`).join(''));
    const before = await history(ask, 'sony');
    await inside(ask, `fleet mcp < '${request}' > '${answer}'`);
    const messages = new Map(
      readFileSync(answer, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Message)
        .map(({ id, result }) => [id, result as Answer] as const),
    );
    const tools = messages.get(2)?.['tools'] as { name: string }[];
    expect(tools.map(({ name }) => name).toSorted()).toEqual(SELF.toSorted());
    for (const [index, [name, { agent_name }]] of calls.entries()) {
      const { structuredContent, content } = messages.get(100 + index) ?? {};
      if (agent_name === 'sony') expect(JSON.stringify(content), name).toContain('FORBIDDEN');
      else expect(structuredContent, `${name} ${JSON.stringify(content)}`).toBeDefined();
    }
    expect(JSON.stringify(messages.get(3)?.['content'])).toContain('FORBIDDEN');
    expect(await history(ask, 'sony')).toEqual(before);
    expect(await history(ask, 'me')).toContainEqual(
      expect.objectContaining({ message: 'by MCP', kind: 'report', source: 'agent' }),
    );
  });

  it('gets no more by asking for it', async ({ fleet, ask }) => {
    const answer = signalFile(fleet, 'refused');
    await inside(
      ask,
      [
        `fleet mcp --scopes read,operate < /dev/null > '${answer}' 2>&1; echo $? >> '${answer}'`,
        `fleet serve --port 0 --json >> '${answer}' 2>&1; echo $? >> '${answer}'`,
        `fleet call delete_agent '{"agent_name": "sony"}' >> '${answer}' 2>&1; echo $? >> '${answer}'`,
      ].join('\n'),
    );
    const said = readFileSync(answer, 'utf8');
    expect(said.match(/^5$/gm)).toHaveLength(3);
    expect((await agentsOf(ask)).map(({ name }) => name)).toEqual(['me', 'sony']);
  });
});
