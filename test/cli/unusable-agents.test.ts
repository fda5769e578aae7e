import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { choiceFile, versionDirectory } from '../../src/agents/adapter-of.ts';
import { codingAgent } from '../../src/agents/catalogue.ts';
import { makePlace, type Place } from './place.ts';

let user: Place;
let home: string;
beforeAll(() => {
  user = makePlace((userHome) => ({
    PATH: [join(userHome, 'bin'), process.env['PATH']].join(delimiter),
    FLEET_HOME: join(userHome, 'fleet'),
    FLEET_CONFIG: join(userHome, 'fleet.yaml'),
  }));
  home = join(user.userHome, 'fleet');
  const projects = { Setup: { repository: user.repository } };
  writeFileSync(join(user.userHome, 'fleet.yaml'), JSON.stringify({ version: 1, projects }));
  mkdirSync(join(user.userHome, 'bin'));
  for (const name of ['claude', 'claude-agent-acp']) {
    writeFileSync(join(user.userHome, 'bin', name), '#!/bin/sh\n');
    chmodSync(join(user.userHome, 'bin', name), 0o755);
  }
});
afterAll(() => user[Symbol.asyncDispose]());

describe('a coding agent that is not usable here', () => {
  it('and not installed is refused with the command to type, also when there is one on PATH', async () => {
    await refused('agent_not_installed', 'fleet agents install claude');
  });

  it('and not logged in is refused with the command to type', async () => {
    pretendInstalled();
    await refused('agent_not_logged_in', 'fleet agents login claude');
  });

  it('is usable once it is logged in', async () => {
    user.env['ANTHROPIC_API_KEY'] = 'x';
    expect(await doctorLine()).toMatchObject({ state: 'ok', message: expect.stringContaining('is usable') });
  });
});

/** By create_agent, which leaves nothing, and by doctor, which says the same. */
async function refused(reason: string, command: string): Promise<void> {
  await user.fleet('list');
  const before = traces();
  const { code, stdout } = await user.fleet(
    'call',
    'create_agent',
    '{"project": "Setup", "task": "hello", "role": "coder"}',
  );
  expect(code).toBe(7);
  expect(JSON.parse(stdout)).toEqual({
    error: {
      code: 'SERVICE_UNAVAILABLE',
      message: expect.stringContaining(command),
      details: { reason, command },
    },
  });
  expect(traces()).toEqual(before);
  expect(await doctorLine()).toMatchObject({
    state: 'warn',
    message: expect.stringContaining(command),
    fix: command,
  });
}

const checks = z.object({ checks: z.array(z.looseObject({ name: z.string() })) });

async function doctorLine(): Promise<unknown> {
  const { stdout } = await user.fleet('doctor', '--json');
  return checks.parse(JSON.parse(stdout)).checks.find(({ name }) => name === 'role coder');
}

function pretendInstalled(): void {
  const agent = codingAgent('claude');
  if (agent === undefined) throw new Error('claude is not known');
  const directory = versionDirectory(agent, home, agent.version);
  for (const file of [agent.entry, `node_modules/${agent.build}here/claude`]) {
    mkdirSync(join(directory, file, '..'), { recursive: true });
    writeFileSync(join(directory, file), '');
  }
  writeFileSync(choiceFile(agent, home), `${agent.version}\n`);
}

function traces(): readonly string[] {
  const git = (...args: string[]): string =>
    execFileSync('git', ['-C', user.repository, ...args], { encoding: 'utf8' });
  const files = readdirSync(home, { recursive: true, encoding: 'utf8' });
  return [
    ...files.filter((path) => !/^(?:store\.db-(?:wal|shm)|cache\b.*)$/.test(path)).toSorted(),
    git('for-each-ref'),
    git('worktree', 'list'),
  ];
}
