import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect } from 'vitest';
import { parse } from 'yaml';
import { ERROR_TABLE } from '../../src/domain/values/errors.ts';
import { runFleet, serveFleet } from '../support/fleets/fleet-process.ts';
import type { LocalFleet } from '../support/fleets/local-fleet.ts';
import { askableClient } from './relay-clients.ts';
import { fleetWith, upstream } from './upstream-place.ts';
import { fleetTest } from '../support/fleets/fleet-test.ts';

const it = fleetTest(() => fleetWith({ lab: upstream('plain'), bad: upstream('quits') }));

const fleetTools = (fleet: LocalFleet, ...args: string[]) =>
  runFleet(['tools', ...args], { env: fleet.env, cwd: fleet.directory });

const fleetApprovals = (fleet: LocalFleet, ...args: string[]) =>
  runFleet(['approvals', ...args], { env: fleet.env, cwd: fleet.directory });

describe('fleet tools', () => {
  it('shows servers, how they are, and their tools [CLI-tools]', async ({ fleet }) => {
    const { stdout, code } = await fleetTools(fleet);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^lab +ready +\d+/m);
    expect(stdout).toMatch(/^bad +(error|disconnected|connecting) +0 .*no licence found/m);
    expect(stdout).toMatch(/^lab__drop +yes/m);
    const { servers, tools } = JSON.parse((await fleetTools(fleet, '--json')).stdout) as {
      servers: { server: string; status: string; calls: { count: number } }[];
      tools: { name: string; gated: boolean }[];
    };
    expect(servers.map(({ server }) => server)).toEqual(['lab', 'bad']);
    expect(tools.find(({ name }) => name === 'lab__echo')).toMatchObject({ gated: false });
  });

  it('calls one, and exits by what became of it [ERR-approval-required]', async ({ fleet }) => {
    const added = await fleetTools(fleet, 'call', 'lab__add', '{"a": 1, "b": 2}');
    expect([added.code, JSON.parse(added.stdout)]).toEqual([0, { content: [{ type: 'text', text: '3' }] }]);
    expect((await fleetTools(fleet, 'call', 'lab__fail')).code).toBe(1);
    expect((await fleetTools(fleet, 'call', 'lab__nothing')).code).toBe(3);
    expect((await fleetTools(fleet, 'call', 'lab__add', '{"a": "x", "b": 2}')).code).toBe(2);
    expect((await fleetTools(fleet, 'call', 'bad__tool')).code).toBe(7);
    const gated = await fleetTools(fleet, 'call', 'lab__drop', '{"what": "it"}');
    expect(gated.code).toBe(6);
    expect(JSON.parse(gated.stdout)).toMatchObject({
      error: { code: 'APPROVAL_REQUIRED', details: { id: expect.stringMatching(/^call-/) as string } },
    });
    expect(ERROR_TABLE.APPROVAL_REQUIRED.http).toBe(403);
    const allowed = await fleetTools(fleet, 'call', 'lab__drop', '{"what": "it"}', '--yes');
    expect([allowed.code, JSON.parse(allowed.stdout)]).toEqual([
      0,
      { content: [{ type: 'text', text: 'dropped it' }] },
    ]);
    const open = await runFleet(['approvals', '--json'], { env: fleet.env });
    expect(JSON.parse(open.stdout)).toMatchObject({ approvals: [] });
  });

  it('asks with an approval that fleet approvals shows in full by its id, or the beginning of it', async ({
    fleet,
  }) => {
    const gated = await fleetTools(fleet, 'call', 'lab__drop', '{"what": "that"}');
    const { error } = JSON.parse(gated.stdout) as { error: { details: { id: string } } };
    const { id } = error.details;
    expect((await fleetApprovals(fleet)).stderr).toContain('fleet approvals ID shows one in full');
    for (const word of [id, id.slice(0, -3)])
      expect((await fleetApprovals(fleet, word)).stdout).toContain(`fleet approve ${id}`);
    expect(await fleetApprovals(fleet, 'call-none')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('No pending approval has that id') as string,
    });
    const other = await fleetTools(fleet, 'call', 'lab__drop', '{"what": "those"}');
    expect(other.code).toBe(6);
    expect(await fleetApprovals(fleet, 'call-')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining(id) as string,
    });
    const one = JSON.parse((await fleetApprovals(fleet, id, '--json')).stdout) as object;
    expect(one).toMatchObject({ approvals: [{ id }], total_count: 1 });
  });

  it('lists modules, and shortens long descriptions', async () => {
    await using other = fleetWith({ lab: upstream('malformed') });
    const tool = `{ name: 'count', description: 'Counts letters', parameters: { type: 'object' }, run: () => 1 }`;
    writeFileSync(join(other.directory, 'mine.mjs'), `export const tools = [${tool}];`);
    other.configure((config) => (config['tool_modules'] = { mine: './mine.mjs', gone: './gone.mjs' }));
    const { stdout } = await runFleet(['tools'], { env: other.env });
    expect(stdout).toMatch(/^mine +module +1 /m);
    expect(stdout).toMatch(/^gone +failed +0 .*cannot be loaded/m);
    expect(stdout).toMatch(/^mine__count +Counts letters$/m);
    expect(stdout).toMatch(/^lab__good +Long\. (word )+\w*…$/m);
    const json = JSON.parse((await runFleet(['tools', '--json'], { env: other.env })).stdout) as {
      modules: unknown[];
      tools: { name: string; definition: { description: string } }[];
    };
    expect(json.modules).toEqual([{ module: 'mine', tools: 1 }]);
    const [whole] = json.tools.filter(({ name }) => name === 'lab__good');
    expect(whole?.definition.description).toHaveLength(306);
  });

  it('counts the tools that are offered, and a second of one name not', async () => {
    await using other = fleetWith({ odd: upstream('odd-tools') });
    const { stdout, stderr } = await runFleet(['tools'], { env: other.env });
    expect(stdout).toMatch(/^odd +ready +9 /m);
    expect(stdout.match(/^odd__/gm)).toHaveLength(9);
    expect(stderr).toContain('odd has a tool whose name odd__twin is taken: its second is not offered');
  });

  it('says that fleet.yaml is not trusted, and not that it has no servers', async () => {
    await using other = fleetWith({ lab: upstream('plain') });
    const env = { ...other.env, FLEET_CONFIG: '' };
    const { stdout, stderr } = await runFleet(['tools'], { env, cwd: dirname(other.configFile) });
    expect(stderr).toContain('fleet trust');
    expect(stdout).toBe('');
  });

  it('takes servers of other clients', async ({ fleet }) => {
    const files = {
      '.mcp.json': { mcpServers: { one: { command: 'a', args: ['x'] }, fleet: { command: 'fleet' } } },
      '.cursor/mcp.json': {
        mcpServers: { two: { url: 'https://example.com/mcp', headers: { A: '${env:KEY}' } } },
      },
      '.vscode/mcp.json': {
        servers: { three: { type: 'http', url: 'https://example.com' }, one: { command: 'b' } },
      },
    };
    for (const [file, content] of Object.entries(files)) {
      mkdirSync(join(fleet.directory, file, '..'), { recursive: true });
      writeFileSync(join(fleet.directory, file), `// a comment\n${JSON.stringify(content)}`);
    }
    const env = { ...fleet.env, HOME: `${fleet.directory}-user` };
    const run = await runFleet(['tools', 'import', '--json'], { env, cwd: fleet.directory });
    expect((JSON.parse(run.stdout) as { added: { name: string }[] }).added.map(({ name }) => name)).toEqual([
      'one',
      'two',
      'three',
    ]);
    const { mcpServers } = parse(readFileSync(fleet.configFile, 'utf8')) as {
      mcpServers: Record<string, unknown>;
    };
    expect(mcpServers).toMatchObject({
      one: { command: 'a', args: ['x'] },
      two: { headers: { A: '${KEY}' } },
      three: { type: 'http' },
    });
    const again = await runFleet(['tools', 'import'], { env, cwd: fleet.directory });
    expect(again.stdout).toBe('Nothing new was found.\n');
  });
});

describe('what was called', () => {
  it('is in the audit log and the metrics, and its arguments are not', async ({ fleet }) => {
    await using served = await serveFleet(fleet.env);
    await using client = await askableClient('auto', served);
    await client.call('lab__echo', { value: 'a private text' });
    const metrics = await fetch(`${served.url}/metrics`, {
      headers: { authorization: `Bearer ${served.token}` },
    });
    const text = await metrics.text();
    expect(text).toContain('fleet_tool_call_seconds_count{server="lab",tool="lab__echo"} 1');
    expect(text).toMatch(/fleet_tool_call_seconds_bucket\{server="lab",tool="lab__echo",le="\+Inf"\} 1/);
    expect(text).toContain('fleet_upstream_up{server="lab"} 1');
    for (;;) {
      const { stdout } = await runFleet(['audit', '--json'], { env: fleet.env });
      if (!stdout.includes('lab__echo')) continue;
      expect(stdout).not.toContain('a private text');
      expect(stdout).toMatch(/"principal":"mcp:http"/);
      expect(stdout).toMatch(/arguments_bytes/);
      break;
    }
  });
});
