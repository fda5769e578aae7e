import { existsSync, readFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { agentClone, type AgentClone } from '../../../../test/support/agent-clone.ts';
import type { LandOptions } from '../../../domain/merge/landing.ts';
import { identify } from '../../../platform/processes/process-identity.ts';
import { LandingStore, newLanding, type StoredLanding } from '../../../store/landing-store.ts';
import { Store } from '../../../store/store.ts';
import { finishDeadLandings } from './finish-landings.ts';
import { land, type LandParts } from './land.ts';
import { undoLanding } from './undo-landing.ts';

const COMMIT = 'echo a > a.txt; git add .; git commit --quiet -m "add a"';

describe('landing the work of an agent', () => {
  it('makes a merge commit, moves the branch and its checkout, and writes no other ref [OP-land_agent]', async () => {
    using place = await stage();
    place.agent(COMMIT);
    const landed = await place.land();
    expect(landed).toMatchObject({ state: 'landed', into: 'main', after: place.at('main') });
    expect(place.git('log', '--format=%s', '--first-parent', 'main')).toMatch(
      /^Merge the work of agent sony\n/,
    );
    expect(place.git('log', '--format=%b', '-1')).toContain('- add a');
    expect(readFileSync(join(place.repository, 'a.txt'), 'utf8')).toBe('a\n');
    expect(place.git('status', '--short')).toBe('');
    expect(place.git('for-each-ref', '--format=%(refname)').trim().split('\n')).toEqual([
      `refs/fleet/pins/${place.work.launch.workspace_id}`,
      'refs/heads/main',
      'refs/remotes/fleet/sony',
    ]);
    expect(place.git('fsck', '--strict', '--no-dangling')).toBe('');
  });

  it('squashes to one commit by the author of the work', async () => {
    using place = await stage();
    place.agent(`${COMMIT}; echo b > b.txt; git add .; git commit --quiet -m "add b"`);
    await place.land({ strategy: 'squash' });
    expect(place.git('log', '--format=%an|%s', 'main').split('\n').slice(0, 2)).toEqual([
      'Agent|Work of agent sony',
      'Agent|first',
    ]);
    expect(place.git('log', '--format=%b', '-1', 'main')).toContain('- add a\n- add b');
  });

  it('puts each commit on top of the target when it is rebased', async () => {
    using place = await stage();
    place.agent(`${COMMIT}; echo b > b.txt; git add .; git commit --quiet -m "add b"`);
    place.user('echo m > m.txt; git add .; git commit --quiet -m mine');
    await place.land({ strategy: 'rebase' });
    expect(place.git('log', '--format=%s', 'main').trim().split('\n')).toEqual([
      'add b',
      'add a',
      'mine',
      'first',
    ]);
    expect(place.git('rev-list', '--merges', 'main')).toBe('');
  });

  it('lands what came after a squash without a conflict with itself', async () => {
    using place = await stage();
    place.agent('printf "1\\n2\\n3\\n" > a.txt; git add .; git commit --quiet -m one');
    await place.land({ strategy: 'squash' });
    place.agent('printf "1\\ntwo\\n3\\n" > a.txt; git commit --quiet -am two');
    await place.land({ strategy: 'squash' });
    expect(place.git('log', '--format=%s', 'main').trim().split('\n')).toEqual(['two', 'one', 'first']);
  });

  it('moves a branch that is not checked out, and no file', async () => {
    using place = await stage();
    place.git('branch', 'release');
    place.agent(COMMIT);
    await place.land({ into: 'release' });
    expect(place.git('ls-tree', '--name-only', 'release')).toContain('a.txt');
    expect(existsSync(join(place.repository, 'a.txt'))).toBe(false);
  });

  it.each([
    ['modified', 'echo mine >> README.md', 'echo theirs >> README.md; git commit --quiet -am theirs'],
    ['staged', 'echo mine > a.txt; git add a.txt', COMMIT],
    ['untracked', 'echo mine > a.txt', COMMIT],
    ['ignored', 'echo a.txt > .git/info/exclude; echo mine > a.txt', COMMIT],
    ['a directory in the way of a file', 'mkdir a.txt; echo mine > a.txt/x', COMMIT],
  ])(
    'changes nothing where the same file is %s in the checkout [OP-land_agent-refuses]',
    async (_, theirs, agents) => {
      using place = await stage('echo first > README.md; git add .; git commit --quiet -m readme');
      place.agent(agents);
      place.user(theirs);
      const before = place.state();
      await expect(place.land()).rejects.toMatchObject({
        code: 'CONFLICT',
        details: { reason: 'target_dirty' },
      });
      expect(place.state()).toEqual(before);
    },
  );

  it('lands beside uncommitted work of the user in other files', async () => {
    using place = await stage('echo first > README.md; git add .; git commit --quiet -m readme');
    place.agent(COMMIT);
    place.user('echo mine >> README.md; echo new > new.txt; git add new.txt');
    await place.land();
    expect(place.git('status', '--short')).toBe(' M README.md\nA  new.txt\n');
    expect(readFileSync(join(place.repository, 'a.txt'), 'utf8')).toBe('a\n');
  });

  it.each([
    [
      'a rebase',
      'git checkout --quiet -b side; echo x > c; git add .; git commit --quiet -m s; git checkout --quiet main; echo y > c; git add .; git commit --quiet -m m; git rebase side || true',
    ],
    [
      'a merge',
      'git checkout --quiet -b side; echo x > c; git add .; git commit --quiet -m s; git checkout --quiet main; echo y > c; git add .; git commit --quiet -m m; git merge side || true',
    ],
    ['a bisect', 'git bisect start'],
    ['another git', ': > .git/index.lock'],
  ])('changes nothing in the middle of %s', async (_, busy) => {
    using place = await stage();
    place.agent(COMMIT);
    place.user(busy);
    const before = place.git('rev-parse', 'main');
    await expect(place.land()).rejects.toMatchObject({ details: { reason: 'target_busy' } });
    expect(place.git('rev-parse', 'main')).toBe(before);
  });

  it('moves the branch where it is checked out, in another worktree', async () => {
    using place = await stage();
    place.git('branch', 'release');
    place.git('worktree', 'add', '--quiet', join(place.root, 'other'), 'release');
    place.agent(COMMIT);
    await place.land({ into: 'release' });
    expect(readFileSync(join(place.root, 'other', 'a.txt'), 'utf8')).toBe('a\n');
  });

  it('changes nothing for a conflict, and names the files [OP-land_agent-refuses]', async () => {
    using place = await stage('echo 1 > c.txt; git add .; git commit --quiet -m c');
    place.agent('echo theirs > c.txt; git commit --quiet -am theirs');
    place.user('echo mine > c.txt; git commit --quiet -am mine');
    const before = place.state();
    await expect(place.land()).rejects.toMatchObject({
      details: { reason: 'conflicts', paths: ['c.txt'] },
    });
    expect(place.state()).toEqual(before);
  });

  it('refuses uncommitted work by its paths, or takes it along, or leaves it', async () => {
    using place = await stage();
    place.agent(`${COMMIT}; echo u > 'new "file"'`);
    await expect(place.land()).rejects.toMatchObject({
      details: { reason: 'uncommitted', paths: ['new "file"'] },
    });
    const left = await place.land({ uncommitted: 'leave' });
    expect(left.message).toContain('Uncommitted work was left out: new "file"');
    expect(existsSync(join(place.repository, 'new "file"'))).toBe(false);
    await place.land({ uncommitted: 'include' });
    expect(readFileSync(join(place.repository, 'new "file"'), 'utf8')).toBe('u\n');
  });

  it('lands only the reviewed commit, and a busy agent only with it', async () => {
    using place = await stage();
    place.agent(COMMIT);
    const reviewed = place.agent('git rev-parse HEAD').trim();
    await expect(place.land({}, { busy: true })).rejects.toMatchObject({ details: { reason: 'busy' } });
    place.agent('echo more > more.txt; git add .; git commit --quiet -m more');
    await expect(place.land({ head: reviewed }, { busy: true })).rejects.toMatchObject({
      details: { reason: 'head_moved' },
    });
    const head = place.agent('git rev-parse HEAD').trim();
    expect(await place.land({ head }, { busy: true })).toMatchObject({ state: 'landed', head });
  });

  it('refuses what there is nothing of, and branches that are not there', async () => {
    using place = await stage();
    await expect(place.land()).rejects.toMatchObject({ details: { reason: 'nothing_to_land' } });
    place.agent(COMMIT);
    await expect(place.land({ into: 'nowhere' })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      details: { field: 'into' },
    });
  });

  it('refuses a branch that has no commit in common', async () => {
    using place = await stage();
    place.agent(
      'git checkout --quiet --orphan new; git commit --quiet -m alone --allow-empty; git branch -f fleet/sony; git checkout --quiet fleet/sony',
    );
    await expect(place.land()).rejects.toMatchObject({ details: { reason: 'no_common_commit' } });
  });

  it('stops when a check fails on the merged tree, and changes nothing', async () => {
    using place = await stage();
    place.agent(COMMIT);
    const before = place.state();
    const seen: string[] = [];
    const check: LandParts['check'] = async (fleet, commit) => {
      seen.push(`${fleet.endsWith('.git')} ${commit.length}`);
      throw new Error('no');
    };
    await expect(place.land({}, { check })).rejects.toThrow();
    expect(seen).toEqual(['true 40']);
    expect(place.state()).toEqual(before);
    expect(place.git('for-each-ref', 'refs/fleet/landings')).toBe('');
    expect(await place.land({ skip_checks: true }, { check })).toMatchObject({ state: 'landed' });
  });

  it('takes the attributes of the target, and runs no merge driver', async () => {
    using place = await stage(
      'printf "1\\n2\\n" > list.txt; echo "list.txt merge=union" > .gitattributes; git add .; git commit --quiet -m list',
    );
    const mark = join(place.root, 'ran');
    place.git('config', 'merge.evil.driver', `touch ${mark}`);
    place.agent(
      'printf "1\\n2\\ntheirs\\n" > list.txt; echo "* merge=evil" > .gitattributes; git commit --quiet -am theirs',
    );
    place.user('printf "1\\n2\\nmine\\n" > list.txt; git commit --quiet -am mine');
    await place.land();
    expect(readFileSync(join(place.repository, 'list.txt'), 'utf8').split('\n').toSorted()).toEqual(
      ['', '1', '2', 'mine', 'theirs'].toSorted(),
    );
    expect(existsSync(mark)).toBe(false);
  });

  it('runs no hook of the user', async () => {
    using place = await stage();
    const mark = join(place.root, 'ran');
    for (const hook of ['post-merge', 'pre-merge-commit', 'post-checkout', 'reference-transaction'])
      place.user(`printf '#!/bin/sh\\ntouch ${mark}\\n' > .git/hooks/${hook}; chmod +x .git/hooks/${hook}`);
    place.agent(COMMIT);
    await place.land();
    expect(existsSync(mark)).toBe(false);
  });

  it('leaves a checkout to the user whose files need a filter', async () => {
    using place = await stage();
    place.git('config', 'filter.f.smudge', 'cat');
    place.user('echo "*.bin filter=f" > .git/info/attributes');
    place.agent('echo x > x.bin; git add .; git commit --quiet -m bin');
    const failure = await place.land().catch((thrown: unknown) => thrown);
    expect(failure).toMatchObject({
      details: { reason: 'needs_checkout', paths: ['x.bin'], command: 'git merge --no-ff fleet/sony' },
    });
    place.user('git merge --quiet --no-ff fleet/sony -m mine');
    expect(place.git('ls-tree', '--name-only', 'main')).toContain('x.bin');
  });

  it('lands one after the other when two start at once', async () => {
    using place = await stage();
    place.git('branch', 'release');
    place.agent(COMMIT);
    const results = await Promise.allSettled([place.land(), place.land({ into: 'release' }), place.land()]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
  });
});

describe('undoing a landing', () => {
  it('puts branch and checkout back while nothing came after it [OP-undo_land]', async () => {
    using place = await stage();
    place.agent(COMMIT);
    const before = place.state();
    const { land_id } = await place.land();
    expect(await place.undo(land_id)).toMatchObject({ how: 'reset', into: 'main' });
    expect(place.state()).toEqual(before);
    await expect(place.undo(land_id)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await place.land()).toMatchObject({ state: 'landed' });
  });

  it('reverts it when the branch has moved on [OP-undo_land-revert]', async () => {
    using place = await stage();
    place.agent(COMMIT);
    const { land_id } = await place.land();
    place.user('echo m > m.txt; git add .; git commit --quiet -m mine');
    expect(await place.undo(land_id)).toMatchObject({ how: 'revert' });
    const files = place.git('ls-tree', '--name-only', 'main').split('\n');
    expect([files.includes('a.txt'), files.includes('m.txt')]).toEqual([false, true]);
    expect(place.git('status', '--short')).toBe('');
  });

  it.each(['merge', 'squash', 'rebase'] as const)(
    'lets all of the work land again by %s, with what came after a revert',
    async (strategy) => {
      using place = await stage();
      place.agent(COMMIT);
      const { land_id } = await place.land();
      place.user('echo m > m.txt; git add .; git commit --quiet -m mine');
      await place.undo(land_id);
      place.agent('echo b > b.txt; git add .; git commit --quiet -m b');
      await place.land({ strategy });
      const files = place.git('ls-tree', '--name-only', 'main').split('\n');
      expect(['a.txt', 'b.txt', 'm.txt'].filter((file) => !files.includes(file))).toEqual([]);
      await expect(place.land()).rejects.toMatchObject({ details: { reason: 'nothing_to_land' } });
    },
  );

  it('changes nothing where the user has changed a landed file since', async () => {
    using place = await stage();
    place.agent(COMMIT);
    const { land_id } = await place.land();
    place.user('echo mine >> a.txt');
    await expect(place.undo(land_id)).rejects.toMatchObject({ details: { reason: 'target_dirty' } });
    expect(readFileSync(join(place.repository, 'a.txt'), 'utf8')).toBe('a\nmine\n');
  });
});

describe('a landing whose process died', () => {
  it('is rolled back when only some files were written', async () => {
    using place = await stage('echo 1 > one.txt; echo 2 > two.txt; git add .; git commit --quiet -m two');
    place.agent(
      'echo ONE > one.txt; echo TWO > two.txt; echo new > new.txt; git add .; git commit --quiet -m all',
    );
    const before = place.state();
    const { land_id, after, before: from } = await place.land();
    // As git leaves it when it is killed in the middle.
    place.user(
      `git reset --quiet --hard ${from ?? ''}; echo ONE > one.txt; echo new > new.txt; : > .git/index.lock`,
    );
    place.interrupted(land_id, { from: from ?? '', to: after ?? '' });
    await finishDeadLandings(place.work.home, place.landings);
    expect(place.state()).toEqual(before);
    expect(existsSync(join(place.repository, '.git', 'index.lock'))).toBe(false);
    expect(place.landings.find(land_id)).toMatchObject({ state: 'failed', process: null });
  });

  it('is left alone where somebody has changed a file since', async () => {
    using place = await stage('echo 1 > one.txt; git add .; git commit --quiet -m one');
    place.agent('echo ONE > one.txt; git commit --quiet -am all');
    const { land_id, after, before: from } = await place.land();
    place.user(`git reset --quiet --hard ${from ?? ''}; echo mine > one.txt`);
    place.interrupted(land_id, { from: from ?? '', to: after ?? '' });
    await finishDeadLandings(place.work.home, place.landings);
    expect(readFileSync(join(place.repository, 'one.txt'), 'utf8')).toBe('mine\n');
    expect(place.landings.find(land_id)?.message).toContain('one.txt has changed since');
  });

  it('is landed when its branch has moved', async () => {
    using place = await stage();
    place.agent(COMMIT);
    const { land_id, after, before: from } = await place.land();
    place.interrupted(land_id, { from: from ?? '', to: after ?? '' });
    await finishDeadLandings(place.work.home, place.landings);
    expect(place.landings.find(land_id)).toMatchObject({ state: 'landed', process: null, intent: null });
  });

  it('is not touched while its process lives', async () => {
    using place = await stage();
    place.agent(COMMIT);
    const { land_id, after, before: from } = await place.land();
    place.landings.change(land_id, {
      state: 'running',
      process: identify(process.pid),
      intent: { from: from ?? '', to: after ?? '', checkout: null, at: 0, undo: false },
    });
    await finishDeadLandings(place.work.home, place.landings);
    expect(place.landings.find(land_id)).toMatchObject({ state: 'running' });
  });
});

interface LandStage extends AgentClone {
  readonly landings: LandingStore;
  land(options?: Partial<LandOptions>, parts?: Partial<LandParts>): Promise<StoredLanding>;
  undo(land_id: string): ReturnType<typeof undoLanding>;
  /** A shell of the user in the project's repository. */
  user(script: string): void;
  at(ref: string): string;
  /** Branch, index and files of the project's repository. */
  state(): object;
  interrupted(land_id: string, moved: { from: string; to: string }): void;
}

async function stage(before?: string): Promise<LandStage> {
  const place = await agentClone(before === undefined ? {} : { before });
  const store = new Store(place.home);
  const landings = new LandingStore(store);
  const signal = new AbortController().signal;
  const lender = join(place.repository, '.git');
  const own = {
    landings,
    land: (options: Partial<LandOptions> = {}, parts: Partial<LandParts> = {}) => {
      const land_id = randomUUID();
      landings.insert(
        newLanding({
          land_id,
          workspace_id: place.work.launch.workspace_id,
          agent_name: 'sony',
          project: 'Setup',
          options: { strategy: 'merge', uncommitted: 'refuse', skip_checks: false, ...options },
          by: 'user:test',
          created_at: new Date(0).toISOString(),
          lender,
          process: identify(process.pid),
        }),
      );
      return land(land_id, {
        landings,
        work: place.work,
        busy: false,
        signal,
        progress: () => {},
        check: async () => {},
        ...parts,
      });
    },
    undo: (land_id: string) => undoLanding(land_id, { home: place.home, landings, signal }),
    user: (script: string) => {
      place.agent(`cd '${place.repository}'; ${script}`);
    },
    at: (ref: string) => place.git('rev-parse', ref).trim(),
    state: () => ({
      main: place.git('rev-parse', 'main'),
      status: place.git('status', '--porcelain', '--ignored'),
      files: place.agent(
        `cd '${place.repository}'; find . -path ./.git -prune -o -type f -exec sha1sum {} + | sort`,
      ),
    }),
    interrupted: (land_id: string, moved: { from: string; to: string }) =>
      void landings.change(land_id, {
        state: 'running',
        process: { pid: 1, started: 'never', boot: 'none' },
        intent: { ...moved, checkout: place.repository, at: Date.now(), undo: false },
      }),
    [Symbol.dispose]: () => {
      store[Symbol.dispose]();
      place[Symbol.dispose]();
    },
  };
  return { ...place, ...own };
}
