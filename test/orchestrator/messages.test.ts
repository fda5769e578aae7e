import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { FLEET, runFleet } from '../support/fleets/fleet-process.ts';
import type { LocalFleet } from '../support/fleets/local-fleet.ts';
import { fleetWith, upstream } from './upstream-place.ts';

let fleet: LocalFleet;
beforeEach(() => {
  fleet = fleetWith({});
});
afterEach(() => fleet[Symbol.asyncDispose]());

const run = (...args: string[]) => runFleet(args, { env: fleet.env, cwd: fleet.directory });

it('a configuration that cannot be read fails fleet tools', async () => {
  writeFileSync(fleet.configFile, 'version: 1\nmcpServers: 5\n');
  const { code, stdout, stderr } = await run('tools');
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain('mcpServers must be');
});

it('a server that is slow to come is named while it is waited for', async () => {
  fleet.configure((config) => (config['mcpServers'] = { mute: upstream('silent', { timeout: 5_000 }) }));
  const { stderr, stdout } = await run('tools');
  expect(stderr).toMatch(/^fleet: waiting for mute \(starting\) …$/m);
  expect(stdout).toContain('did not answer within 5000 ms');
});

it('fleet serve says what is wrong with a tool module', async () => {
  fleet.configure((config) => (config['tool_modules'] = { gone: './gone.ts' }));
  const child = spawn(process.execPath, [FLEET, 'serve', '--port', '0'], { env: fleet.env });
  const exited = once(child, 'exit');
  const [line] = (await once(createInterface({ input: child.stderr }), 'line')) as [string];
  child.kill('SIGTERM');
  await exited;
  expect(line).toMatch(/^fleet: warning: The tool module "gone" .* cannot be loaded/);
});

it('a tool of a module needs no description', async () => {
  const tool = `{ name: 'bare', parameters: { type: 'object' }, run: () => 'done' }`;
  writeFileSync(join(fleet.directory, 'tools.mjs'), `export const tools = [${tool}];`);
  fleet.configure((config) => (config['tool_modules'] = { mine: './tools.mjs' }));
  const { code, stdout } = await run('tools', 'call', 'mine__bare');
  expect([code, JSON.parse(stdout)]).toEqual([0, { content: [{ type: 'text', text: 'done' }] }]);
});

it('a token is made only for a view that is there, and by a name', async () => {
  fleet.configure((config) => (config['views'] = { few: { tools: ['list_agents'] } }));
  const unknown = await run('token', 'create', 'x', '--view', 'nosuch');
  expect([unknown.code, unknown.stdout]).toEqual([3, '']);
  expect(unknown.stderr).toContain('There is no view "nosuch" in fleet.yaml. There are: few.');
  expect((await run('token', 'list')).stdout).toBe('');
  expect((await run('token', 'create', 'a b')).stderr).toContain('The token name "a b" has characters');
});
