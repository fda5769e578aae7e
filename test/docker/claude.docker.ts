import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { questionOf } from '../acp/acp-fleet.ts';
import { containerOf, docker, inContainer } from '../support/docker/docker.ts';
import {
  agentOf,
  agentsOf,
  askAs,
  failure,
  history,
  logOf,
  until,
  type Answer,
} from '../support/fleets/fleet-under-test.ts';
import { goTask, WITHOUT_GO_TASK } from '../support/installs/go-task.ts';
import { scriptText } from '../support/model-server/model-script.ts';
import { claudeFleet, type ClaudeFleet } from './claude-fleet.ts';
import { PROJECT } from './set-up-template.ts';

type Step = Parameters<typeof scriptText>[0][number];

describe('the real Claude Code in a container on Coder', () => {
  let fleet: ClaudeFleet;
  const ids = new Map<string, string>();
  const ask = (operation: string, input?: Answer) => askAs(fleet.fleet)(operation, input);

  beforeAll(async () => {
    fleet = await claudeFleet();
  });
  afterAll(() => fleet[Symbol.asyncDispose]());

  async function make(name: string, role: string, input: Answer = {}): Promise<void> {
    const task = scriptText([{ text: `I am ${name}.` }]);
    await ask('create_agent', { project: PROJECT, name, role, task, ...input });
    await ended(name);
    ids.set(name, (await agentOf(ask, name)).workspace_id);
  }

  async function give(agent_name: string, ...steps: Step[]): Promise<void> {
    await ask('start_agent_task', { agent_name, task_description: scriptText(steps) });
  }

  async function ended(name: string): Promise<string> {
    const answer = await ask('wait_for_agents', { agent_names: name, timeout_seconds: 120 });
    expect(answer['timed_out'], JSON.stringify(answer['agents'])).toBe(false);
    return String((await history(ask, name)).find(({ kind }) => kind === 'task')?.['state']);
  }

  const idOf = (name: string): string => ids.get(name) ?? '';
  const inside = (name: string, command: string) => inContainer(idOf(name), command);
  const said = async (name: string) => (await logOf(ask, name)).map(({ message }) => message);
  const write = (name: string, content: string): Step => ({
    tool: 'Write',
    input: { file_path: `/home/coder/project/${name}`, content },
  });
  const bash = (command: string): Step => ({ tool: 'Bash', input: { command, description: 'does it' } });
  async function decide(name: string, decision: 'allow' | 'deny'): Promise<void> {
    const { id } = await questionOf(ask, name);
    await ask('respond_approval', { id, decision });
  }

  it('does its first task in a container with a volume of its own and a clone of the repository', async () => {
    await make('ada', 'coder', { spec: 'Mind the gap.' });
    expect(await agentOf(ask, 'ada')).toMatchObject({ status: 'idle', role: 'coder', spec: 'Mind the gap.' });
    expect(await history(ask, 'ada')).toMatchObject([{ state: 'complete', result: 'I am ada.' }]);
    const [container] = JSON.parse(await docker('inspect', containerOf(idOf('ada')))) as [
      { Mounts: { Name: string; Destination: string }[]; HostConfig: { Privileged: boolean } },
    ];
    expect(container.Mounts).toMatchObject([
      { Name: `${containerOf(idOf('ada'))}-home`, Destination: '/home/coder' },
    ]);
    expect(container.HostConfig.Privileged).toBe(false);
    expect(await inside('ada', 'git -C project branch --show-current; id -un')).toBe('fleet/ada\ncoder');
    const told = JSON.stringify(fleet.model.requests.map(({ body }) => body));
    expect(told).toContain('You are a software engineer.');
    expect(told).toContain('Mind the gap.');
  });

  it('asks before it writes, and does what it is allowed to and not what it is denied', async () => {
    await give('ada', write('yes.txt', 'by Claude'), { text: 'Written.' });
    expect(await questionOf(ask, 'ada')).toMatchObject({ kind: 'permission', agent_name: 'ada' });
    await decide('ada', 'allow');
    expect(await ended('ada')).toBe('complete');
    await give('ada', write('no.txt', 'no'), { text: 'Then not.' });
    await decide('ada', 'deny');
    expect(await ended('ada')).toBe('complete');
    expect(await inside('ada', 'cd project && cat yes.txt && echo && ls')).toBe(
      'by Claude\nTaskfile.yml\nyes.txt',
    );
    expect(await said('ada')).toEqual(expect.arrayContaining(['Written.', 'Then not.']));
    expect((await history(ask, 'ada')).map(({ result }) => result)).toEqual([
      'Then not.',
      'Written.',
      'I am ada.',
    ]);
  });

  it('is canceled in the middle of a command, and nothing of it is left', async () => {
    await give('ada', bash('touch begun; tail -f /dev/null'));
    await decide('ada', 'allow');
    await until(() => inside('ada', 'ls project/begun').catch(() => ''), Boolean);
    await ask('cancel_agent_task', { agent_name: 'ada' });
    expect(await ended('ada')).toBe('canceled');
    expect(await inside('ada', 'pgrep -c tail || true')).toBe('0');
  });

  it('has its files, its history and its session again after a stop and a restart', async () => {
    const before = await history(ask, 'ada');
    expect(await ask('stop_agent', { agent_name: 'ada' })).toMatchObject({ status: 'stopped' });
    expect(await docker('ps', '--all', '--quiet', '--filter', `name=${containerOf(idOf('ada'))}`)).toBe('');
    expect(await history(ask, 'ada')).toEqual(before);
    await ask('restart_agent', { agent_name: 'ada' });
    await ended('ada');
    expect(await history(ask, 'ada')).toEqual(before);
    expect(await inside('ada', 'cat project/yes.txt')).toBe('by Claude');
    const asked = fleet.model.requests.length;
    await give('ada', { text: 'Back again.' });
    expect(await ended('ada')).toBe('complete');
    expect(JSON.stringify(fleet.model.requests.slice(asked).map(({ body }) => body))).toContain('Written.');
  });

  it('cannot see another agent: not its files, its processes or its runner', async () => {
    await make('eve', 'operator');
    await inside('eve', 'echo secret >project/mine.txt');
    const format = '{{.NetworkSettings.IPAddress}}';
    const address = await docker('inspect', '--format', format, containerOf(idOf('eve')));
    expect(await inside('eve', 'curl -s -o /dev/null -w %{http_code} http://127.0.0.1:7433/healthz')).toBe(
      '200',
    );
    const reached = `curl -s -m 5 -o /dev/null http://${address}:7433/healthz; echo $?`;
    expect(await inside('ada', reached)).toBe('7');
    expect(await inside('ada', 'ls project')).not.toContain('mine.txt');
    expect(await inside('ada', 'ls /home; pgrep -fc coder-runner-mai[n]')).toBe('coder\n1');
    expect(await inside('ada', 'hostname')).toBe('ada');
    expect(JSON.stringify(fleet.model.requests.map(({ body }) => body))).toContain(
      'You are an operations engineer.',
    );
  });

  it('runs a team as a manager: creates another agent on Coder and waits for it', async () => {
    await make('max', 'manager');
    expect(await inside('max', 'env')).toContain('FLEET_TEAM_TOKEN=');
    expect(await inside('ada', 'env')).not.toContain('FLEET_TEAM_TOKEN=');
    await give(
      'max',
      {
        tool: 'mcp__team__create_agent',
        input: { project: PROJECT, name: 'kid', role: 'shell', task: 'echo "I am $FLEET_AGENT"' },
      },
      { tool: 'mcp__team__wait_for_agents', input: { agent_names: 'kid', timeout_seconds: 120 } },
      { text: 'My team is done.' },
    );
    expect(await ended('max')).toBe('complete');
    expect(await said('max')).toContain('My team is done.');
    expect(await agentOf(ask, 'kid')).toMatchObject({ status: 'idle', role: 'shell' });
    expect(await said('kid')).toContain('I am kid');
    ids.set('kid', (await agentOf(ask, 'kid')).workspace_id);
  });

  it(`shows a value of the repository's Taskfile, which a real task has run in the container${WITHOUT_GO_TASK}`, async (test) => {
    test.skip(goTask() === undefined);
    const { metadata } = await until(
      () => agentOf(ask, 'kid'),
      (agent) => agent.metadata['place']?.error === null,
    );
    expect(metadata['place']?.value).toBe('/home/coder');
  });

  it('is deleted with its volume, and work that is nowhere else is on the git server', async () => {
    const id = idOf('ada');
    const { kept } = (await ask('delete_agent', { agent_name: 'ada' })) as { kept?: unknown };
    expect(JSON.stringify(kept)).toContain(`fleet-kept/ada/${id}`);
    const show = ['-C', fleet.forge.repository, 'show', `fleet-kept/ada/${id}:yes.txt`];
    expect(execFileSync('git', show, { encoding: 'utf8' })).toBe('by Claude');
    expect(await docker('volume', 'ls', '--quiet', '--filter', `name=${id}`)).toBe('');
    expect(await docker('ps', '--all', '--quiet', '--filter', `name=${id}`)).toBe('');
    expect((await failure(ask('show_agent', { agent_name: 'ada' }))).code).toBe('NOT_FOUND');
    expect((await agentsOf(ask)).map(({ name }) => name).toSorted()).toEqual(['eve', 'kid', 'max']);
  });
});
