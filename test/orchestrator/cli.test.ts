import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ERROR_TABLE } from '../../src/domain/errors.ts';
import { runFleet, serveFleet } from '../support/fleet-process.ts';
import type { LocalFleet } from '../support/local-fleet.ts';
import { askableClient } from './relay-clients.ts';
import { fleetWith, upstream } from './upstream-place.ts';

let fleet: LocalFleet;
beforeAll(() => {
  fleet = fleetWith({ lab: upstream('plain'), bad: upstream('quits') });
});
afterAll(() => fleet[Symbol.asyncDispose]());

const fleetTools = (...args: string[]) =>
  runFleet(['tools', ...args], { env: fleet.env, cwd: fleet.directory });

describe('fleet tools', () => {
  it('shows servers, how they are, and their tools [CLI-tools]', async () => {
    const { stdout, code } = await fleetTools();
    expect(code).toBe(0);
    expect(stdout).toMatch(/^lab +ready +\d+/m);
    expect(stdout).toMatch(/^bad +(error|disconnected|connecting) +0 .*no licence found/m);
    expect(stdout).toMatch(/^lab__drop +yes/m);
    const { servers, tools } = JSON.parse((await fleetTools('--json')).stdout) as {
      servers: { server: string; status: string; calls: { count: number } }[];
      tools: { name: string; gated: boolean }[];
    };
    expect(servers.map(({ server }) => server)).toEqual(['lab', 'bad']);
    expect(tools.find(({ name }) => name === 'lab__echo')).toMatchObject({ gated: false });
  });

  it('calls one, and exits by what became of it [ERR-approval-required]', async () => {
    const added = await fleetTools('call', 'lab__add', '{"a": 1, "b": 2}');
    expect([added.code, JSON.parse(added.stdout)]).toEqual([0, { content: [{ type: 'text', text: '3' }] }]);
    expect((await fleetTools('call', 'lab__fail')).code).toBe(1);
    expect((await fleetTools('call', 'lab__nothing')).code).toBe(3);
    expect((await fleetTools('call', 'lab__add', '{"a": "x", "b": 2}')).code).toBe(2);
    expect((await fleetTools('call', 'bad__tool')).code).toBe(7);
    const gated = await fleetTools('call', 'lab__drop', '{"what": "it"}');
    expect(gated.code).toBe(6);
    expect(JSON.parse(gated.stdout)).toMatchObject({
      error: { code: 'APPROVAL_REQUIRED', details: { id: expect.stringMatching(/^call-/) as string } },
    });
    expect(ERROR_TABLE.APPROVAL_REQUIRED.http).toBe(403);
    const allowed = await fleetTools('call', 'lab__drop', '{"what": "it"}', '--yes');
    expect([allowed.code, JSON.parse(allowed.stdout)]).toEqual([
      0,
      { content: [{ type: 'text', text: 'dropped it' }] },
    ]);
    const open = await runFleet(['approvals', '--json'], { env: fleet.env });
    expect(JSON.parse(open.stdout)).toMatchObject({ approvals: [] });
  });

  it('takes servers of other clients', async () => {
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
    const env = { ...fleet.env, HOME: fleet.directory };
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
  it('is in the audit log and the metrics, and its arguments are not', async () => {
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
