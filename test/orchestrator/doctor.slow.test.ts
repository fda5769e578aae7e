import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { runFleet } from '../support/fleets/fleet-process.ts';
import { fleetWith, upstream } from './upstream-place.ts';

interface Check {
  readonly name: string;
  readonly state: string;
  readonly message: string;
  readonly fix?: string;
}

describe('fleet doctor on MCP servers', () => {
  it('says of each what it lacks, and starts none', async () => {
    await using fleet = fleetWith({
      nowhere: { command: 'no-such-program' },
      astray: upstream('plain', { cwd: '/no/such/directory' }),
      plain: { command: fileURLToPath(import.meta.url) },
      mail: { url: 'ftp://127.0.0.1/mcp' },
      unset: upstream('plain', { env: { KEY: '${NOT_SET_ANYWHERE}' } }),
      far: { url: 'http://127.0.0.1:9/mcp', oauth: { grant: 'browser' } },
      open: { url: 'http://127.0.0.1:9/mcp' },
      off: { command: 'no-such-program', disabled: true },
    });
    const log = join(fleet.directory, 'log');
    const module = join(fleet.directory, 'tools.ts');
    fleet.configure((config) => {
      const servers = config['mcpServers'] as Record<string, object>;
      config['mcpServers'] = { ...servers, lab: upstream('plain', { env: { LAB_LOG: log } }) };
      config['tool_modules'] = { mine: module };
    });
    const { stdout } = await runFleet(['doctor', '--json'], { env: fleet.env });
    const { checks } = JSON.parse(stdout) as { checks: readonly Check[] };
    expect(checks.filter(({ name }) => /^(mcp server|tool module) /.test(name))).toEqual([
      {
        name: 'mcp server nowhere',
        state: 'fail',
        message: 'the program no-such-program was not found',
        fix: 'install it, or correct "command" of the server in fleet.yaml',
      },
      {
        name: 'mcp server astray',
        state: 'fail',
        message: 'the directory /no/such/directory does not exist',
        fix: 'create it, or correct "cwd" of the server in fleet.yaml',
      },
      {
        name: 'mcp server plain',
        state: 'fail',
        message: `${fileURLToPath(import.meta.url)} is not executable`,
        fix: `chmod +x ${fileURLToPath(import.meta.url)}`,
      },
      {
        name: 'mcp server mail',
        state: 'fail',
        message: 'ftp://127.0.0.1/mcp is not an http or https address',
        fix: 'correct "url" of the server in fleet.yaml',
      },
      {
        name: 'mcp server unset',
        state: 'fail',
        message: 'NOT_SET_ANYWHERE is not set',
        fix: 'set it where fleet is started',
      },
      {
        name: 'mcp server far',
        state: 'warn',
        message: 'not logged in',
        fix: 'fleet tools login far',
      },
      { name: 'mcp server open', state: 'ok', message: 'at 127.0.0.1:9' },
      { name: 'mcp server lab', state: 'ok', message: `${process.execPath} is there` },
      {
        name: 'tool module mine',
        state: 'fail',
        message: `${module} was not found`,
        fix: 'correct "tool_modules" of fleet.yaml',
      },
    ]);
    expect(existsSync(log)).toBe(false);
  });
});
