import { randomUUID } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { coderFleet, template, type CoderFleet } from '../support/fleets/coder-fleet.ts';
import {
  agentOf,
  agentsOf,
  askAs,
  history,
  idleAgent,
  signalFile,
  until,
  waitIdle,
  type Answer,
} from '../support/fleets/fleet-under-test.ts';
import { coderBackends } from '../../src/upkeep/coder/coder-backend-of.ts';

let fleet: CoderFleet;
const ask = (operation: string, input?: Answer) => askAs(fleet.fleet)(operation, input);
const reportsOf = async (name: string) => (await history(ask, name)).filter(({ kind }) => kind === 'report');
const newAgent = (name: string, input: Answer = {}) =>
  idleAgent(ask, name, { project: 'Reporting', role: 'coder', task: 'true', ...input });

/** A line of a shell script that reports as a tool in the workspace does: with the token of the workspace agent. */
function reporting(report: object): string {
  const program = `const { CODER_AGENT_URL: url, CODER_AGENT_TOKEN: token } = process.env;
    const answer = await fetch(new URL("/api/v2/workspaceagents/me/app-status", url), {
      method: "PATCH", headers: { "coder-session-token": token }, body: process.argv[1] });
    process.exit(answer.ok ? 0 : 1);`;
  const body = JSON.stringify({ app_slug: 'fleet', ...report });
  return `'${process.execPath}' --input-type=module -e '${program}' '${body}'`;
}

beforeAll(async () => {
  fleet = await coderFleet();
  const fleet_role = JSON.stringify({
    agent: 'command',
    command: ['sh', '-es'],
    env_from: ['CODER_AGENT_URL', 'CODER_AGENT_TOKEN'],
  });
  const preset = { id: randomUUID(), name: 'coder', description: '', default: true };
  fleet.standIn.templates.push({
    ...template('reporting', 'Reporting', ''),
    presets: [{ ...preset, parameters: { fleet_role } }],
  });
});
afterAll(() => fleet[Symbol.asyncDispose]());

describe('what an agent with a runner of ours reports to the agent API of Coder', () => {
  it('is in its history with message and uri, once, and still after a restart [FR-016]', async () => {
    const uri = 'https://example.com/a/b/pull/7';
    const task = [
      reporting({ state: 'working', message: 'Tests are written' }),
      reporting({ state: 'complete', message: 'Opened a pull request', uri }),
    ].join('\n');
    await newAgent('sends', { task });
    const rows = [
      { kind: 'report', message: 'Opened a pull request', uri, state: 'complete', source: 'agent' },
      { kind: 'report', message: 'Tests are written', uri: null, state: 'complete', source: 'agent' },
    ];
    expect(await reportsOf('sends')).toMatchObject(rows);
    expect(await history(ask, 'sends')).toContainEqual(
      expect.objectContaining({ kind: 'task', message: task, state: 'complete' }),
    );
    expect(await agentOf(ask, 'sends')).toMatchObject({
      status: 'idle',
      last_task: 'Opened a pull request',
      pull_request: { url: uri },
    });
    const before = await history(ask, 'sends');
    expect(await history(ask, 'sends')).toEqual(before);
    await ask('restart_agent', { agent_name: 'sends' });
    await waitIdle(ask, 'sends');
    expect(fleet.workspaceOf('sends').agent?.statuses.map(({ message }) => message)).not.toContain(
      'Tests are written',
    );
    expect(await history(ask, 'sends')).toEqual(before);
  });

  it('does not hide what its runner reported', async () => {
    const [sent, go] = [signalFile(fleet, 'sent'), signalFile(fleet, 'go-on')];
    await newAgent('works');
    const task = `${reporting({ state: 'idle', message: 'Thinking' })}; touch '${sent}'; while [ ! -e '${go}' ]; do sleep 0.05; done`;
    await ask('start_agent_task', { agent_name: 'works', task_description: task });
    await until(async () => existsSync(sent), Boolean);
    const listed = (await agentsOf(ask)).find(({ name }) => name === 'works');
    expect(listed).toMatchObject({ status: 'busy' });
    expect(await agentOf(ask, 'works')).toMatchObject({ status: 'busy', current_task: task });
    writeFileSync(go, '');
    await waitIdle(ask, 'works');
    fleet.workspaceOf('works').report({ state: 'working', message: 'Still here', uri: 'vscode://file/x' });
    expect((await agentsOf(ask)).find(({ name }) => name === 'works')).toMatchObject({ status: 'idle' });
    expect((await reportsOf('works')).map(({ message, uri }) => [message, uri])).toEqual([
      ['Still here', null],
      ['Thinking', null],
    ]);
  });

  it('asks for attention when it is a failure', async () => {
    await newAgent('stuck-here');
    fleet.workspaceOf('stuck-here').report({ state: 'failure', message: 'I need a login', uri: '' });
    expect((await reportsOf('stuck-here'))[0]).toMatchObject({ state: 'failed', needs_user_attention: true });
    expect(await agentOf(ask, 'stuck-here')).toMatchObject({ status: 'idle', needs_attention: true });
  });

  it('is stored although nobody read it before a restart, and by the background work of fleet serve', async () => {
    await newAgent('unseen');
    fleet.workspaceOf('unseen').report({ state: 'working', message: 'Before the restart', uri: '' });
    await ask('restart_agent', { agent_name: 'unseen' });
    await waitIdle(ask, 'unseen');
    fleet.workspaceOf('unseen').report({ state: 'working', message: 'Before the stop', uri: '' });
    const [backend] = await coderBackends(fleet.opened);
    await backend?.keep();
    const { preset_id, version_id } = fleet.workspaceOf('unseen').latest;
    fleet.workspaceOf('unseen').build('stop', { preset_id, version_id, parameters: {} });
    await until(
      () => agentOf(ask, 'unseen'),
      ({ status }) => status === 'stopped',
    );
    expect((await reportsOf('unseen')).map(({ message }) => message)).toEqual([
      'Before the stop',
      'Before the restart',
    ]);
  });
});
