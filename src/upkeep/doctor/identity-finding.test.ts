import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { identityFinding } from './identity-finding.ts';

const directory = mkdtempSync(join(tmpdir(), 'fleet-identity-'));
afterAll(() => rmSync(directory, { recursive: true }));

const env = { PATH: process.env['PATH'], HOME: join(directory, 'home'), GIT_CONFIG_NOSYSTEM: '1' };
mkdirSync(env.HOME);
const [one, two] = ['one', 'two'].map((name) => {
  const repository = join(directory, name);
  execFileSync('git', ['init', '--quiet', repository]);
  return repository;
}) as [string, string];

function configure(...args: readonly string[]): void {
  for (const [key, value] of [
    ['user.name', 'Me'],
    ['user.email', 'me@localhost'],
  ] as const)
    execFileSync('git', ['config', ...args, key, value], { env, cwd: one });
}

it('warns of repositories without an identity for commits, until git has one', async () => {
  const cli = { env, cwd: directory };
  expect(await identityFinding(cli, [])).toMatchObject({ state: 'warn' });
  configure();
  expect(await identityFinding(cli, [one])).toMatchObject({ state: 'ok' });
  const finding = await identityFinding(cli, [one, two, join(directory, 'gone')]);
  expect(finding).toMatchObject({ state: 'warn', fix: expect.stringContaining('user.email') });
  expect(finding.message).toContain(two);
  expect(finding.message).not.toContain(one);
  const named = { ...env, GIT_AUTHOR_NAME: 'A', GIT_AUTHOR_EMAIL: 'a@b' };
  expect(await identityFinding({ ...cli, env: named }, [two])).toMatchObject({ state: 'warn' });
  const both = { ...named, GIT_COMMITTER_NAME: 'A', GIT_COMMITTER_EMAIL: 'a@b' };
  expect(await identityFinding({ ...cli, env: both }, [two])).toMatchObject({ state: 'ok' });
  configure('--global');
  expect(await identityFinding(cli, [one, two])).toMatchObject({ state: 'ok' });
});
