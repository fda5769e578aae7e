import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askAs, failure, idleAgent, type Ask } from '../support/fleets/fleet-under-test.ts';
import { forgeFor, type GitForge } from '../support/git-forge.ts';
import { localFleet, type LocalFleet } from '../support/fleets/local-fleet.ts';

const LFS = spawnSync('git', ['lfs', 'version']).status === 0;
const CONTENT = 'large\n';

const opened = new AsyncDisposableStack();
let fleet: LocalFleet;
let forge: GitForge;
let ask: Ask;

beforeAll(async () => {
  fleet = opened.use(localFleet());
  forge = opened.use(await forgeFor(fleet));
  ask = askAs(fleet.fleet);
  if (!LFS) return;
  git('lfs', 'install', '--local', '--skip-repo');
  // Git LFS can copy its files to a directory: no server is needed.
  git('config', 'lfs.url', `file://${forge.repository}`);
});
afterAll(() => opened.disposeAsync());

function git(...args: string[]): string {
  const identity = ['-c', 'user.name=T', '-c', 'user.email=t@localhost'];
  return execFileSync('git', ['-C', fleet.repository, ...identity, ...args], {
    encoding: 'utf8',
    stdio: 'pipe',
  }).trim();
}

const WORK = [
  'git lfs install --local --skip-repo',
  "git lfs track '*.bin'",
  `printf '${CONTENT.trim()}\\n' > big.bin`,
  'git add .',
  'git -c user.name=A -c user.email=a@localhost commit --quiet -m large',
].join(' && ');

describe.skipIf(!LFS)('work with files of Git LFS (needs git-lfs)', () => {
  it('is published with its files', async () => {
    await idleAgent(ask, 'sony', { role: 'shell', task: WORK });
    expect(git('show', 'fleet/sony:big.bin')).toContain('version https://git-lfs.github.com/spec/v1');
    const id = /sha256:(\w+)/.exec(git('show', 'fleet/sony:big.bin'))?.[1] ?? '';
    expect(await ask('publish_agent', { agent_name: 'sony' })).toMatchObject({ pushed: true });
    const stored = join(forge.repository, 'lfs', 'objects', id.slice(0, 2), id.slice(2, 4), id);
    expect(readFileSync(stored, 'utf8')).toBe(CONTENT);
  });

  it('lands on a branch that is not checked out, and its files can be read there', async () => {
    await idleAgent(ask, 'papi', { role: 'shell', task: WORK });
    git('branch', 'release');
    const refused = await failure(ask('land_agent', { agent_name: 'papi' }));
    expect(refused).toMatchObject({ details: { reason: 'needs_checkout' } });
    expect(existsSync(join(fleet.repository, 'big.bin'))).toBe(false);
    expect(await ask('land_agent', { agent_name: 'papi', into: 'release' })).toMatchObject({
      state: 'landed',
    });
    git('switch', '--quiet', 'release');
    expect(readFileSync(join(fleet.repository, 'big.bin'), 'utf8')).toBe(CONTENT);
  });
});
