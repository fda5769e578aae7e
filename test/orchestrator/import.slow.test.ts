import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parse } from 'yaml';
import { runFleet } from '../support/fleets/fleet-process.ts';
import type { LocalFleet } from '../support/fleets/local-fleet.ts';
import { fleetWith } from './upstream-place.ts';

let fleet: LocalFleet;
beforeEach(() => {
  fleet = fleetWith({});
});
afterEach(() => fleet[Symbol.asyncDispose]());

async function imported(servers: string) {
  const file = join(fleet.directory, 'other.json');
  writeFileSync(file, `{"mcpServers": ${servers}}`);
  const before = readFileSync(fleet.configFile, 'utf8');
  const run = await runFleet(['tools', 'import', file, '--json'], { env: fleet.env, cwd: fleet.directory });
  const after = readFileSync(fleet.configFile, 'utf8');
  return { ...run, answer: JSON.parse(run.stdout) as unknown, before, after };
}

const serversIn = (text: string) => (parse(text) as { mcpServers: Record<string, unknown> }).mcpServers;

it.each([
  ['"x": {"command": "npx", "args": "a b"}', 'mcpServers.x.args must be'],
  ['"x": {"type": "stdio"}', 'needs a'],
  ['"__proto__": {"command": "npx"}', '__proto__'],
  ['"x": 5', 'no object'],
  ['"x": {"command": "npx", "env": {"A": {}}}', 'mcpServers.x.env.A must be'],
  ['"a b c ${}": {"url": 7}', 'url'],
])('what cannot be taken is named, and nothing is written: %s', async (servers, reason) => {
  const { code, answer, before, after } = await imported(`{${servers}}`);
  expect([code, after]).toEqual([2, before]);
  expect(answer).toMatchObject({
    error: { code: 'INVALID_INPUT', message: expect.stringContaining(reason) as string },
  });
});

it('takes the others, with numbers as texts, and without a limit that is not one here', async () => {
  const { code, answer, after } = await imported(`{
    "bad": {"command": "npx", "args": "a b"},
    "__proto__": {"command": "npx"},
    "five": 5,
    "port": {"command": "npx", "args": ["-p", 80], "env": {"PORT": 8080, "ON": true}},
    "slow": {"command": "npx", "timeout": 60000},
    "text": {"command": "npx", "timeout": "60"},
    "quick": {"command": "npx", "timeout": 5000}
  }`);
  expect(code).toBe(0);
  expect(serversIn(after)).toEqual({
    port: { command: 'npx', args: ['-p', '80'], env: { PORT: '8080', ON: 'true' } },
    slow: { command: 'npx' },
    text: { command: 'npx' },
    quick: { command: 'npx', timeout: 5000 },
  });
  const { left_out } = answer as { left_out: { name: string; reason: string }[] };
  expect(left_out.map(({ name }) => name)).toEqual(['bad', '__proto__', 'five', 'slow', 'text']);
  expect(left_out[3]?.reason).toContain('its timeout "60000" alone');
  const check = await runFleet(['list', '--json'], { env: fleet.env, cwd: fleet.directory });
  expect([check.code, check.stderr]).toEqual([0, '']);
});
