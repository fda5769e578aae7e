import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { describe, expect } from 'vitest';
import { FLEET, runFleet, type Finished } from '../support/fleets/fleet-process.ts';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import { idleAgent, type Answer } from '../support/fleets/fleet-under-test.ts';
import type { LocalFleet } from '../support/fleets/local-fleet.ts';
import { script } from '../support/script.ts';

const it = fleetTest();
it.beforeAll(async ({ ask }) => {
  await idleAgent(ask, 'speaker', { task: script({ say: 'early' }) });
});

const run = (fleet: LocalFleet, ...args: string[]): Promise<Finished> =>
  runFleet(args, { env: fleet.env, cwd: fleet.directory });

const REST = 'serve mcp init trust doctor agents token audit why demo kept gc drill completion version'.split(
  ' ',
);

describe('the rest of the commands', () => {
  it('are there, each with help of its own [CLI-rest]', async ({ fleet }) => {
    const helps = await Promise.all(
      REST.map(async (name) => {
        const { code, stdout, stderr } = await run(fleet, name, '--help');
        expect({ name, code, stderr }).toEqual({ name, code: 0, stderr: '' });
        expect(stdout).toMatch(new RegExp(`^Usage: fleet ${name} .*\n\n[A-Z]\\w+ `));
        expect(stdout.split('Examples:')[1]).toContain(`fleet ${name}`);
        return stdout.split('\n').slice(2).join('\n');
      }),
    );
    expect(new Set(helps).size).toBe(REST.length);
    const { stdout } = await run(fleet, '--help');
    for (const name of REST) expect(stdout).toMatch(new RegExp(`^ {2}${name} +\\S`, 'm'));
  });
});

describe('fleet doctor', () => {
  interface Check {
    readonly name: string;
    readonly state: string;
    readonly message: string;
    readonly fix?: string;
  }

  async function doctor(fleet: LocalFleet): Promise<{ code: number | null; checks: Map<string, Check> }> {
    const { code, stdout } = await run(fleet, 'doctor', '--json');
    const { checks } = JSON.parse(stdout) as { checks: Check[] };
    return { code, checks: new Map(checks.map((check) => [check.name, check])) };
  }

  it('says of each thing whether it is well and what to do [CLI-doctor]', async ({ fleet }) => {
    const well = await doctor(fleet);
    expect(well.code).toBe(0);
    const names = ['node', 'git', 'home', 'config', 'project Setup', 'role scripted', 'containment', 'port'];
    for (const name of names) expect([name, well.checks.has(name)]).toEqual([name, true]);
    for (const name of ['node', 'git', 'home', 'config', 'project Setup', 'role scripted'])
      expect(well.checks.get(name)).toMatchObject({ state: 'ok', message: expect.stringMatching(/\S/) });
    fleet.configure((config) => {
      config.projects['Lost'] = { repository: join(fleet.directory, 'nowhere') };
      config.roles['lost'] = { agent: 'command', command: ['fleet-test-no-such-program'] };
    });
    const ill = await doctor(fleet);
    expect(ill.code).toBe(1);
    expect(ill.checks.get('project Setup')).toMatchObject({ state: 'ok' });
    expect(ill.checks.get('project Lost')).toMatchObject({
      state: 'fail',
      message: expect.stringContaining('nowhere'),
      fix: expect.stringContaining(fleet.configFile),
    });
    expect(ill.checks.get('role lost')).toMatchObject({
      state: 'fail',
      fix: expect.stringContaining('install fleet-test-no-such-program'),
    });
    const { stdout } = await run(fleet, 'doctor');
    expect(stdout).toMatch(/^fail {2}role lost: .*\n {6}→ install/m);
    fleet.configure((config) => {
      delete config.projects['Lost'];
      delete config.roles['lost'];
    });
  });
});

describe('fleet log --follow', () => {
  it('prints entries as they come until it is interrupted [CLI-log-follow]', async ({ fleet, ask }) => {
    const child = spawn(process.execPath, [FLEET, 'log', 'speaker', '--follow', '--json'], {
      env: fleet.env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const seen: string[] = [];
    const readTo = async (message: string): Promise<void> => {
      while (seen.at(-1) !== message) {
        const { value, done } = await lines.next();
        if (done === true) throw new Error(`ended before ${message}`);
        seen.push((JSON.parse(value) as { message: string }).message);
      }
    };
    try {
      await readTo('early');
      const go = join(fleet.directory, 'go-on');
      await ask('start_agent_task', {
        agent_name: 'speaker',
        task_description: script({ say: 'now' }, { hold: go }, { say: 'later' }),
      });
      await readTo('now');
      writeFileSync(go, '');
      await readTo('later');
      expect(child.exitCode).toBeNull();
      expect(seen.filter((message) => ['early', 'now', 'later'].includes(message))).toEqual([
        'early',
        'now',
        'later',
      ]);
      child.kill('SIGINT');
      expect(await exited).toEqual([130, null]);
    } finally {
      child.kill('SIGKILL');
    }
  });
});

describe('fleet mcp install', () => {
  it('writes an entry that starts this fleet and keeps the others [CLI-mcp-install]', async ({ fleet }) => {
    const project = join(fleet.directory, 'project');
    mkdirSync(project);
    const others = { url: 'https://example.com/mcp', headers: { a: 'b' } };
    const before = { inputs: [{ id: 'x' }], mcpServers: { other: others }, last: true };
    writeFileSync(join(project, '.mcp.json'), JSON.stringify(before));
    const install = (...args: string[]): Promise<Finished> =>
      runFleet(['mcp', 'install', ...args], { env: fleet.env, cwd: project });
    expect(await install()).toMatchObject({ code: 0, stdout: expect.stringContaining('.mcp.json') });
    const text = readFileSync(join(project, '.mcp.json'), 'utf8');
    const { mcpServers, ...rest } = JSON.parse(text) as { mcpServers: Record<string, Entry> };
    expect(rest).toEqual({ inputs: before.inputs, last: true });
    expect(mcpServers['other']).toEqual(others);
    expect(Object.keys(mcpServers)).toEqual(['other', 'fleet']);
    expect(await install()).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('nothing was changed'),
    });
    expect(readFileSync(join(project, '.mcp.json'), 'utf8')).toBe(text);

    const entry = mcpServers['fleet'];
    if (entry === undefined) throw new Error('no entry');
    const client = new Client({ name: 'fleet-tests', version: '1.0.0' });
    await client.connect(new StdioClientTransport({ ...entry, cwd: project, stderr: 'inherit' }));
    const { structuredContent } = await client.callTool({ name: 'list_agents', arguments: {} });
    expect(structuredContent).toMatchObject({ agents: [{ name: 'speaker' }] });
    const projects = await client.callTool({ name: 'list_agent_projects', arguments: {} });
    expect((projects.structuredContent as Answer)['projects']).toMatchObject([{ name: 'Setup' }, {}]);
    await client.close();

    expect(await install('--client', 'vscode')).toMatchObject({ code: 0 });
    const vscode = JSON.parse(readFileSync(join(project, '.vscode', 'mcp.json'), 'utf8')) as Answer;
    expect(vscode).toEqual({ servers: { fleet: { type: 'stdio', ...entry } } });
    expect(await install('--client', 'cursor', '--name', 'crew', '--print')).toMatchObject({ code: 0 });
    expect(await install('--file', 'broken.json')).toMatchObject({ code: 0 });
    writeFileSync(join(project, 'broken.json'), '{"mcpServers": {');
    expect(await install('--file', 'broken.json')).toMatchObject({ code: 2 });
    expect(readFileSync(join(project, 'broken.json'), 'utf8')).toBe('{"mcpServers": {');
  });
});

interface Entry {
  readonly command: string;
  readonly args: string[];
  readonly env: Record<string, string>;
}
