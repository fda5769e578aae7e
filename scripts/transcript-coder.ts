// Writes docs/transcript-coder.md: one course of calls by a real MCP client, on a real Coder server and on this machine.
// FLEET_TEST_CODER names the directory of a server that npm run test:coder left running.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { RealCoder } from '../test/support/coder/real-coder.ts';
import { failure, until, type Answer, type Ask } from '../test/support/fleets/fleet-under-test.ts';
import { FLEET } from '../test/support/fleets/fleet-process.ts';
import { makeRepository } from '../test/support/fleets/local-fleet.ts';
import { stdioClient } from '../test/support/mcp-clients.ts';

interface Place {
  readonly env: NodeJS.ProcessEnv;
  /** Stops an agent as somebody does who does not use Fleet, where there is such a way. */
  stopOutside(ask: Ask, name: string): Promise<void>;
}

const PAGE = join(import.meta.dirname, '..', 'docs', 'transcript-coder.md');
const INTRODUCTION = `# The same calls on Coder and on this machine

<!-- Made by \`node scripts/transcript-coder.ts\`. Edit the script, not this page. -->

A real MCP client on \`fleet mcp\`, first on a real Coder server with the process template, then on this machine with two git
repositories. Ids and times are left out. Answers are shortened to what matters here.`;

const directory = mkdtempSync(join(tmpdir(), 'fleet-transcript-'));
try {
  const coder = await record(onCoder());
  const local = await record(onThisMachine());
  const same = coder === local;
  const verdict = same
    ? 'Both gave this, word for word:'
    : 'They differ; what this machine gave comes after what Coder gave.';
  writeFileSync(PAGE, [INTRODUCTION, verdict, coder, ...(same ? [] : [local])].join('\n\n'));
  console.log(same ? 'the same on both' : 'they differ');
  process.exitCode = same ? 0 : 1;
} finally {
  rmSync(directory, { recursive: true, force: true });
}

async function record(place: Place): Promise<string> {
  const lines: string[] = ['```'];
  await using client = await stdioClient('SDK v2, modern era', place.env);
  const { ask } = client;
  const call = async (operation: string, input: Answer, show: (answer: Answer) => unknown): Promise<void> => {
    const answer = await ask(operation, input);
    lines.push(`> ${operation} ${JSON.stringify(input)}`, JSON.stringify(show(answer)));
  };
  const agent = ({ agent: made }: Answer): unknown => pick(made as Answer, 'name', 'project', 'role');
  const rows = ({ tasks }: Answer): unknown =>
    (tasks as Answer[]).map((row) => pick(row, 'message', 'state'));
  const statuses = ({ agents }: Answer): unknown =>
    (agents as Answer[]).map((each) => pick(each, 'name', 'status'));

  await call('list_agent_projects', {}, ({ projects }) =>
    (projects as Answer[]).map(({ name }) => String(name)).toSorted(),
  );
  await call('list_agent_roles', { project: 'Setup' }, ({ roles }) =>
    (roles as Answer[])
      .map(({ name }) => String(name))
      .filter((name) => name !== 'scripted')
      .toSorted(),
  );
  await call('create_agent', { project: 'Setup', role: 'coder', name: 'ada', task: 'echo built' }, agent);
  await call(
    'create_agent',
    { project: 'DataOne', role: 'operator', name: 'bob', task: 'echo deployed' },
    agent,
  );
  await call('create_agent', { project: 'Setup', role: 'manager', name: 'cy', task: 'sleep 600' }, agent);
  await call('wait_for_agents', { agent_names: 'ada,bob' }, statuses);
  await call('show_agent_log', { agent_name: 'ada', page_size: 20 }, ({ logs }) =>
    (logs as Answer[]).filter(({ type }) => type === 'output').map(({ message }) => message),
  );
  await call('start_agent_task', { agent_name: 'ada', task_description: 'echo tested; exit 3' }, (answer) =>
    pick(answer, 'message'),
  );
  await call('wait_for_agents', { agent_names: 'ada' }, statuses);
  await call('show_agent_task_history', { agent_name: 'ada' }, rows);
  await until(
    async () => ((await ask('show_agent', { agent_name: 'cy' }))['agent'] as Answer)['current_task'],
    (task) => task !== null,
  );
  const busy = await failure(ask('start_agent_task', { agent_name: 'cy', task_description: 'echo me too' }));
  lines.push('> start_agent_task {"agent_name":"cy","task_description":"echo me too"}', busy.code);
  await call('cancel_agent_task', { agent_name: 'cy' }, (answer) => pick(answer, 'message', 'agent_status'));
  lines.push('# somebody stops bob, not through this client');
  await place.stopOutside(ask, 'bob');
  await until(
    async () => ((await ask('show_agent', { agent_name: 'bob' }))['agent'] as Answer)['status'],
    (status) => status === 'stopped',
  );
  await call('show_agent', { agent_name: 'bob' }, ({ agent: seen }) =>
    pick(seen as Answer, 'name', 'status'),
  );
  await call('show_agent_task_history', { agent_name: 'bob' }, rows);
  await call('restart_agent', { agent_name: 'bob' }, (answer) => pick(answer, 'message'));
  await call('wait_for_agents', { agent_names: 'bob' }, statuses);
  await call('show_agent_task_history', { agent_name: 'bob' }, rows);
  lines.push('# a fleet is killed in the middle of creating dee');
  await killedCreate(place.env, ask);
  await call('wait_for_agents', { agent_names: 'dee' }, statuses);
  await call('show_agent_task_history', { agent_name: 'dee' }, rows);
  for (const agent_name of ['ada', 'bob', 'cy', 'dee'])
    await call('delete_agent', { agent_name }, (answer) => pick(answer, 'message', 'kept'));
  await call('list_agents', {}, ({ total_count }) => ({ total_count }));
  return [...lines, '```'].join('\n');
}

async function killedCreate(env: NodeJS.ProcessEnv, ask: Ask): Promise<void> {
  const input = { project: 'Setup', role: 'coder', name: 'dee', task: 'echo alive' };
  const asking = spawn(process.execPath, [FLEET, 'call', 'create_agent', JSON.stringify(input)], {
    env,
    stdio: 'ignore',
  });
  await until(
    async () => ((await ask('list_agents'))['agents'] as Answer[]).some(({ name }) => name === 'dee'),
    Boolean,
  );
  asking.kill('SIGKILL');
}

function onCoder(): Place {
  const state = process.env['FLEET_TEST_CODER'];
  if (state === undefined) throw new Error('FLEET_TEST_CODER must name the directory of a running server');
  const coder = JSON.parse(readFileSync(join(state, 'coder.json'), 'utf8')) as RealCoder;
  const env = environment('coder', { version: 1, backend: 'coder', projects: { Setup: {}, DataOne: {} } });
  return {
    env: { ...env, CODER_URL: coder.url, CODER_SESSION_TOKEN: coder.token },
    stopOutside: async (ask, name) => {
      const { workspace_id } = (await ask('show_agent', { agent_name: name }))['agent'] as Answer;
      await fetch(`${coder.url}/api/v2/workspaces/${String(workspace_id)}/builds`, {
        method: 'POST',
        headers: { 'coder-session-token': coder.token },
        body: JSON.stringify({ transition: 'stop' }),
      });
    },
  };
}

function onThisMachine(): Place {
  const role = (command: readonly string[]) => ({ agent: 'command', command });
  const repositories = ['setup', 'dataone'].map((name) => makeRepository(join(directory, name)));
  const env = environment('local', {
    version: 1,
    projects: { Setup: { repository: repositories[0] }, DataOne: { repository: repositories[1] } },
    roles: { coder: role(['sh', '-s']), operator: role(['sh', '-es']), manager: role(['sh', '-xs']) },
  });
  return {
    env,
    stopOutside: async (_, name) => {
      const child = spawn(process.execPath, [FLEET, 'stop', name], { env, stdio: 'ignore' });
      await new Promise((resolve) => child.once('close', resolve));
    },
  };
}

function environment(name: string, config: object): NodeJS.ProcessEnv {
  const place = join(directory, name);
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, 'fleet.yaml'), stringify(config));
  return { ...process.env, FLEET_HOME: join(place, 'home'), FLEET_CONFIG: join(place, 'fleet.yaml') };
}

function pick(answer: Answer, ...keys: readonly string[]): Answer {
  return Object.fromEntries(keys.map((key) => [key, answer[key]]));
}
