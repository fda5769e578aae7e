import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deleteKept, listKept, type KeptBranch } from './kept-branches.ts';

let repository: string;
const old = 'fleet-kept/abba/11111111-1111-4111-8111-111111111111';
const recent = 'fleet-kept/papi/22222222-2222-4222-8222-222222222222';

function git(...args: string[]): string {
  return execFileSync('git', ['-C', repository, ...args], { encoding: 'utf8', stdio: 'pipe' }).trim();
}

/** A commit with the time of long ago. */
function commit(subject: string): string {
  const date = '2001-02-03T04:05:06Z';
  const who = { NAME: 'Test', EMAIL: 'test@localhost', DATE: date };
  const env = Object.entries(who).flatMap(([key, value]) => [
    [`GIT_AUTHOR_${key}`, value],
    [`GIT_COMMITTER_${key}`, value],
  ]);
  const tree = git('write-tree');
  return execFileSync('git', ['-C', repository, 'commit-tree', tree, '-m', subject], {
    encoding: 'utf8',
    env: { ...process.env, ...Object.fromEntries(env) },
  }).trim();
}

beforeAll(() => {
  repository = mkdtempSync(join(tmpdir(), 'fleet-kept-'));
  git('init', '--quiet', '--initial-branch=main');
  git('update-ref', 'refs/heads/main', commit('first'));
  git('update-ref', `refs/heads/${recent}`, commit('work | of\tpapi'));
  git('-c', 'core.logAllRefUpdates=false', 'update-ref', `refs/heads/${old}`, commit('work of abba'));
  git('update-ref', 'refs/heads/fleet/other', commit('not kept'));
});
afterAll(() => rmSync(repository, { recursive: true, force: true }));

async function find(branch: string): Promise<KeptBranch> {
  const found = (await listKept(repository)).find((each) => each.branch === branch);
  if (found === undefined) throw new Error(`no ${branch}`);
  return found;
}

describe('kept branches', () => {
  it('are listed newest first, by when they were kept and not by their commits', async () => {
    const kept = await listKept(repository);
    expect(kept.map(({ branch }) => branch)).toEqual([recent, old]);
    expect(kept).toMatchObject([
      {
        agent_name: 'papi',
        workspace_id: '22222222-2222-4222-8222-222222222222',
        part: '',
        subject: 'work | of\tpapi',
        repository,
        commit: git('rev-parse', recent),
      },
      { agent_name: 'abba', subject: 'work of abba', kept_at: '2001-02-03T04:05:06.000Z' },
    ]);
  });

  it('are deleted unless a worktree has them', async () => {
    git('worktree', 'add', '--quiet', join(repository, 'tree'), recent);
    expect(await deleteKept(await find(recent))).toContain('tree');
    expect(await deleteKept(await find(old))).toBeUndefined();
    expect((await listKept(repository)).map(({ branch }) => branch)).toEqual([recent]);
  });
});
