import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openFleet } from '../../src/fleet/open-fleet.ts';
import type { AgentApiStandIn } from '../support/coder/agentapi-stand-in.ts';
import { coderFleet, template, type CoderFleet } from '../support/fleets/coder-fleet.ts';
import {
  agentOf,
  agentsOf,
  askAs,
  failure,
  history,
  idleAgent,
  logOf,
  signalFile,
  waitIdle,
  type Answer,
} from '../support/fleets/fleet-under-test.ts';
import { coderBackends } from '../../src/upkeep/coder/coder-backend-of.ts';

let fleet: CoderFleet;
const ask = (operation: string, input?: Answer) => askAs(fleet.fleet)(operation, input);
const agentApiOf = (name: string): AgentApiStandIn => {
  const { agentapi } = fleet.workspaceOf(name);
  if (agentapi === undefined) throw new Error(`no AgentAPI in ${name}`);
  return agentapi;
};
const newAgent = (name: string, input: Answer = {}) =>
  idleAgent(ask, name, { project: 'Claude', task: 'say ready', ...input });
const give = (agent_name: string, task_description: string, input: Answer = {}) =>
  ask('start_agent_task', { agent_name, task_description, ...input });

beforeAll(async () => {
  fleet = await coderFleet();
  fleet.standIn.templates.push(
    { ...template('claude', 'Claude', ''), parameters: ['ai_prompt', 'system_prompt'], apps: ['ccw'] },
    {
      ...template('marked', 'Marked', ''),
      parameters: ['ai_prompt', 'system_prompt', 'fleet_managed', 'fleet_agent_id', 'fleet_origin'],
      apps: ['agentapi'],
    },
  );
});
afterAll(() => fleet[Symbol.asyncDispose]());

describe('an agent that AgentAPI drives', () => {
  it('does its first task, which its template delivers, and those that follow', async () => {
    const agent = await newAgent('worker', { role: 'coder' });
    expect(agent).toMatchObject({ status: 'idle', project: 'Claude', role: 'coder', spec: 'say ready' });
    expect(agentApiOf('worker').came).toEqual([]);
    const { task } = await give('worker', 'say hello');
    await waitIdle(ask, 'worker');
    expect(await history(ask, 'worker')).toMatchObject([
      {
        id: (task as Answer)['id'],
        message: 'say hello',
        state: 'complete',
        source: 'human',
        result: 'hello\n>',
      },
      { message: 'say ready', state: 'complete' },
    ]);
    expect((await logOf(ask, 'worker')).map(({ type, message }) => [type, message])).toEqual([
      ['output', 'hello\n>'],
      ['input', 'say hello'],
      ['output', 'ready\n>'],
      ['output', '>'],
    ]);
  });

  it('is busy while it works, and refuses or queues what comes meanwhile', async () => {
    const go = signalFile(fleet, 'go-busy');
    await newAgent('busy');
    await give('busy', `hold ${go}`);
    expect((await agentsOf(ask)).find(({ name }) => name === 'busy')).toMatchObject({
      status: 'busy',
      current_task: `hold ${go}`,
    });
    const refused = await failure(give('busy', 'say no', { when_busy: 'reject' }));
    expect(refused).toMatchObject({ code: 'CONFLICT' });
    await give('busy', 'say later', { when_busy: 'queue' });
    expect(agentApiOf('busy').came).toEqual([`hold ${go}`]);
    writeFileSync(go, '');
    await waitIdle(ask, 'busy');
    const rows = await history(ask, 'busy');
    expect(rows.map(({ message, state }) => [message, state])).toEqual([
      ['say later', 'complete'],
      [`hold ${go}`, 'complete'],
      ['say ready', 'complete'],
    ]);
  });

  it('is interrupted by ESC and by nothing else, so that it lives on [T-cancel_agent_task-agentapi]', async () => {
    await newAgent('interrupted');
    await give('interrupted', `hold ${signalFile(fleet, 'never')}`);
    const answer = await ask('cancel_agent_task', { agent_name: 'interrupted' });
    expect(answer).toMatchObject({ interrupt_sent: true });
    expect(agentApiOf('interrupted').keys).toEqual(['\u001b']);
    expect((await history(ask, 'interrupted'))[0]).toMatchObject({ state: 'canceled' });
    await give('interrupted', 'say still here');
    await waitIdle(ask, 'interrupted');
    expect((await history(ask, 'interrupted'))[0]).toMatchObject({ state: 'complete' });
  });

  it('leaves what it does for a task that may not wait', async () => {
    await newAgent('hurried');
    await give('hurried', `hold ${signalFile(fleet, 'never')}`);
    await give('hurried', 'say at once', { when_busy: 'interrupt' });
    await waitIdle(ask, 'hurried');
    expect((await history(ask, 'hurried')).map(({ message, state }) => [message, state]).slice(0, 2)).toEqual(
      [
        ['say at once', 'complete'],
        [`hold ${signalFile(fleet, 'never')}`, 'canceled'],
      ],
    );
  });

  it('has what it reported to Coder and what others gave it in its history [FR-016]', async () => {
    await newAgent('reporter');
    fleet.workspaceOf('reporter').report({
      state: 'complete',
      message: 'Opened it',
      uri: 'https://forge.invalid/pull/7',
    });
    const rows = await history(ask, 'reporter');
    expect(rows[0]).toMatchObject({
      kind: 'report',
      message: 'Opened it',
      uri: 'https://forge.invalid/pull/7',
      state: 'complete',
    });
    expect(await history(ask, 'reporter')).toEqual(rows);
    const go = signalFile(fleet, 'go-other');
    agentApiOf('reporter').type(`hold ${go}`);
    expect(await agentOf(ask, 'reporter')).toMatchObject({ status: 'busy', current_task: `hold ${go}` });
    writeFileSync(go, '');
    await waitIdle(ask, 'reporter');
    expect((await history(ask, 'reporter'))[0]).toMatchObject({ message: `hold ${go}`, state: 'complete' });
  });

  it('keeps history, log and key-values over a restart; what it did then is interrupted', async () => {
    await newAgent('again');
    await ask('set_agent_metadata', { agent_name: 'again', key: 'fleet_mcp_note', value: 'kept' });
    await give('again', `hold ${signalFile(fleet, 'never')}`);
    expect(await ask('stop_agent', { agent_name: 'again' })).toMatchObject({ status: 'stopped' });
    const before = await history(ask, 'again');
    expect(before[0]).toMatchObject({ state: 'interrupted' });
    expect(await logOf(ask, 'again')).not.toEqual([]);
    await ask('restart_agent', { agent_name: 'again' });
    await waitIdle(ask, 'again');
    const after = await agentOf(ask, 'again');
    expect(after).toMatchObject({ status: 'idle', fleet_metadata: { fleet_mcp_note: 'kept' } });
    expect(await history(ask, 'again')).toEqual(before);
  });
});

describe('the Taskfile of an agent that AgentAPI drives', () => {
  it('is run over the terminal of its workspace', async () => {
    await newAgent('fielded');
    expect(await agentOf(ask, 'fielded')).toMatchObject({ metadata: {}, metadata_collected_at: null });
    const { projectDirectory } = fleet.workspaceOf('fielded');
    const bin = join(fleet.directory, 'bin');
    mkdirSync(bin, { recursive: true });
    // Stands for the program: prints what it was asked for, and fails at one.
    writeFileSync(
      join(bin, 'go-task'),
      '#!/bin/sh\nfor last; do :; done\n[ "$last" = broken ] && exit 7\nprintf \'{"asked": "%s"}\' "$last"\n',
      { mode: 0o755 },
    );
    writeFileSync(
      join(projectDirectory, 'Taskfile.yml'),
      "version: '3'\ntasks:\n  it's:\n    desc: A field\n    cmd: x\n    meta: { include_in_list: true }\n  broken: { cmd: x, meta: { include_in_list: false } }\n  other: { cmd: x }\n",
    );
    const path = process.env['PATH'];
    process.env['PATH'] = `${bin}:${path}`;
    try {
      const { metadata } = await agentOf(ask, 'fielded');
      expect(metadata).toEqual({
        "it's": {
          value: { asked: "it's" },
          error: null,
          schema: { description: 'A field', include_in_list: true },
        },
        broken: {
          value: null,
          error: 'exit code 7',
          schema: { description: '', include_in_list: false },
        },
      });
      const listed = (await agentsOf(ask)).find(({ name }) => name === 'fielded');
      expect(listed).toMatchObject({ metadata: { "it's": { asked: "it's" } }, metadata_count: 2 });
    } finally {
      process.env['PATH'] = path;
    }
  });
});

describe('a message to AgentAPI', () => {
  it('whose answer was lost is looked for, and not sent again', async () => {
    await newAgent('answer-lost');
    agentApiOf('answer-lost').mishaps = ['answer-lost'];
    await give('answer-lost', 'say once');
    await waitIdle(ask, 'answer-lost');
    expect(agentApiOf('answer-lost').came).toEqual(['say once']);
    expect((await history(ask, 'answer-lost'))[0]).toMatchObject({ message: 'say once', state: 'complete' });
  });

  it('that was lost is sent again', async () => {
    await newAgent('message-lost');
    agentApiOf('message-lost').mishaps = ['message-lost', 'message-lost'];
    await give('message-lost', 'say twice');
    await waitIdle(ask, 'message-lost');
    expect(agentApiOf('message-lost').came).toHaveLength(3);
    expect(agentApiOf('message-lost').said.filter(({ role }) => role === 'user')).toHaveLength(1);
  });

  it('that may stand in the input of the agent is not sent again, and a person is notified', async () => {
    await newAgent('half');
    agentApiOf('half').mishaps = ['not-submitted'];
    await give('half', 'say half');
    expect(await agentOf(ask, 'half')).toMatchObject({ status: 'idle', needs_attention: true });
    expect(agentApiOf('half').came).toEqual(['say half']);
    expect((await history(ask, 'half'))[0]).toMatchObject({ message: 'say half', state: 'failed' });
  });

  it('goes once, although the same is asked twice', async () => {
    await newAgent('twice');
    const first = await give('twice', 'say same', { idempotency_key: 'k' });
    await waitIdle(ask, 'twice');
    const again = await give('twice', 'say same', { idempotency_key: 'k' });
    expect((again['task'] as Answer)['id']).toBe((first['task'] as Answer)['id']);
    expect(agentApiOf('twice').came).toEqual(['say same']);
  });
});

describe('a workspace that runs AgentAPI', () => {
  it('is an agent of the fleet that made it, and of every fleet where its template can say so', async () => {
    await newAgent('private');
    await newAgent('public', { project: 'Marked' });
    const env = { ...fleet.env, FLEET_HOME: join(fleet.directory, 'another') };
    await using opened = openFleet({ env, cwd: fleet.directory });
    const names = (await agentsOf(askAs(opened.fleet))).map(({ name }) => name);
    expect(names).toContain('public');
    expect(names).not.toContain('private');
    expect((await agentsOf(ask)).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['private', 'public']),
    );
    const again = ask('create_agent', { name: 'private', project: 'Claude', task: 'say ready' });
    expect(await failure(again)).toMatchObject({ details: { reason: 'name_taken' } });
  });

  it('is adopted by name', async () => {
    const env = { ...fleet.env, FLEET_HOME: join(fleet.directory, 'adopting') };
    await newAgent('foster');
    await using opened = openFleet({ env, cwd: fleet.directory });
    const [backend] = await coderBackends(opened);
    await backend?.adopt('foster', { by: { principal: 'user:me', door: 'cli' }, role: undefined });
    const other = askAs(opened.fleet);
    expect((await agentsOf(other)).map(({ name }) => name)).toContain('foster');
    await other('start_agent_task', { agent_name: 'foster', task_description: 'say adopted' });
    await waitIdle(other, 'foster');
    expect(await history(other, 'foster')).toMatchObject([{ message: 'say adopted', state: 'complete' }]);
  });

  it('is deleted only when its work may go, because nobody can look for it', async () => {
    await newAgent('leaves');
    const error = await failure(ask('delete_agent', { agent_name: 'leaves' }));
    expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE', details: { reason: 'work_not_kept' } });
    await ask('delete_agent', { agent_name: 'leaves', discard_work: true });
    expect((await agentsOf(ask)).map(({ name }) => name)).not.toContain('leaves');
  });
});
