import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { describe, expect, onTestFinished } from 'vitest';
import { FLEET, runFleet } from '../support/fleets/fleet-process.ts';
import { CLIENT_KINDS, connectClient } from '../support/mcp-clients.ts';
import { readyPool } from './pool-under-test.ts';
import { fleetWith, upstream } from './upstream-place.ts';
import { fleetTest } from '../support/fleets/fleet-test.ts';

const LEFT_OUT = [
  { kind: 'tools', name: 'no_schema', reason: 'it has no inputSchema' },
  { kind: 'tools', name: 'empty_schema', reason: 'the type of its inputSchema is not "object"' },
  { kind: 'tools', name: 'other_type', reason: 'the type of its inputSchema is not "object"' },
  { kind: 'tools', name: 'number 5', reason: 'its name is not a text' },
  { kind: 'resources', name: 'no_address', reason: 'its uri is not a text' },
  { kind: 'prompts', name: 'odd', reason: 'its arguments are malformed' },
];

const it = fleetTest(() => fleetWith({ lab: upstream('malformed') }));

describe('definitions that clients refuse', () => {
  it.for(CLIENT_KINDS)('take nothing else away: %s [ORCH-left-out]', async (kind, { fleet }) => {
    await using client = await connectClient(kind, { env: fleet.env });
    // A server that is called is there, and its tools with it.
    expect(await client.call('lab__good')).toMatchObject({ isError: false, text: 'worked' });
    const names = (await client.tools()).map(({ name }) => name);
    expect(names).toContain('list_agents');
    expect(names.filter((name) => name.startsWith('lab__'))).toEqual(['lab__good']);
    expect(await client.resources()).toContain('lab:good');
    expect(await client.prompts()).toContain('lab__good');
  });

  it('are named with the reason by fleet tools and in the health of the server [ORCH-left-out]', async ({
    fleet,
  }) => {
    const env = { env: fleet.env };
    const { servers } = JSON.parse((await runFleet(['tools', '--json'], env)).stdout) as {
      servers: { left_out: unknown[] }[];
    };
    expect(servers[0]?.left_out).toEqual(LEFT_OUT);
    const { stdout, stderr } = await runFleet(['tools'], env);
    expect(stdout).toMatch(
      /^lab +ready +1 .*not offered, because .*tool no_schema \(it has no inputSchema\)/m,
    );
    expect(stderr).toContain(
      'fleet: warning: lab lists a tool empty_schema (the type of its inputSchema is not "object")',
    );
    await using pool = await readyPool('malformed', { limits: { health_ms: 30_000 } });
    expect(await pool.orchestrator.health(30_000)).toMatchObject([
      { status: 'healthy', message: expect.stringContaining('tool no_schema') as string, toolCount: 1 },
    ]);
  });

  it('are in the log of fleet serve', async ({ fleet }) => {
    const child = spawn(process.execPath, [FLEET, 'serve', '--port', '0'], {
      env: fleet.env,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const lines: string[] = [];
    for await (const line of createInterface({ input: child.stderr })) {
      lines.push(line);
      if (line.includes('prompt odd')) break;
    }
    expect(lines).toContain(
      'fleet: warning: the MCP server lab lists a tool no_schema (it has no inputSchema): it is not offered',
    );
  });
});
