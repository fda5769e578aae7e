import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { landStage } from '../../../../test/support/places/land-stage.ts';
import type { LandParts } from './land.ts';

const COMMIT = 'echo a > a.txt; git add .; git commit --quiet -m "add a"';

describe('landing the work of an agent', () => {
  it('makes a merge commit, moves the branch and its checkout, and writes no other ref [OP-land_agent]', async () => {
    using place = await landStage();
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
    using place = await landStage();
    place.agent(`${COMMIT}; echo b > b.txt; git add .; git commit --quiet -m "add b"`);
    await place.land({ strategy: 'squash' });
    expect(place.git('log', '--format=%an|%s', 'main').split('\n').slice(0, 2)).toEqual([
      'Agent|Work of agent sony',
      'Agent|first',
    ]);
    expect(place.git('log', '--format=%b', '-1', 'main')).toContain('- add a\n- add b');
  });

  it('puts each commit on top of the target when it is rebased', async () => {
    using place = await landStage();
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
    using place = await landStage();
    place.agent('printf "1\\n2\\n3\\n" > a.txt; git add .; git commit --quiet -m one');
    await place.land({ strategy: 'squash' });
    place.agent('printf "1\\ntwo\\n3\\n" > a.txt; git commit --quiet -am two');
    await place.land({ strategy: 'squash' });
    expect(place.git('log', '--format=%s', 'main').trim().split('\n')).toEqual(['two', 'one', 'first']);
  });

  it('moves a branch that is not checked out, and no file', async () => {
    using place = await landStage();
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
      using place = await landStage('echo first > README.md; git add .; git commit --quiet -m readme');
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
    using place = await landStage('echo first > README.md; git add .; git commit --quiet -m readme');
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
    using place = await landStage();
    place.agent(COMMIT);
    place.user(busy);
    const before = place.git('rev-parse', 'main');
    await expect(place.land()).rejects.toMatchObject({ details: { reason: 'target_busy' } });
    expect(place.git('rev-parse', 'main')).toBe(before);
  });

  it('moves the branch where it is checked out, in another worktree', async () => {
    using place = await landStage();
    place.git('branch', 'release');
    place.git('worktree', 'add', '--quiet', join(place.root, 'other'), 'release');
    place.agent(COMMIT);
    await place.land({ into: 'release' });
    expect(readFileSync(join(place.root, 'other', 'a.txt'), 'utf8')).toBe('a\n');
  });

  it('moves the branch that a symbolic ref stands for, with its checkout', async () => {
    using place = await landStage();
    place.git('symbolic-ref', 'refs/heads/stable', 'refs/heads/main');
    place.agent(COMMIT);
    const { land_id, into } = await place.land({ into: 'stable' });
    expect(into).toBe('main');
    expect(readFileSync(join(place.repository, 'a.txt'), 'utf8')).toBe('a\n');
    expect(place.git('status', '--short')).toBe('');
    expect(place.git('symbolic-ref', 'refs/heads/stable').trim()).toBe('refs/heads/main');
    await place.undo(land_id);
    expect(place.git('status', '--short')).toBe('');
    place.git('update-ref', 'refs/remotes/origin/main', 'main');
    place.git('symbolic-ref', 'refs/heads/away', 'refs/remotes/origin/main');
    await expect(place.land({ into: 'away' })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(place.land({ into: 'main~0' })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  it.each([
    ['gone', 'rm -rf "$OTHER"'],
    ['not mounted', 'rm -rf "$OTHER"; mkdir "$OTHER"'],
    ['elsewhere', 'mv "$OTHER" "$OTHER.moved"'],
    [
      'gone in the middle of a rebase',
      'cd "$OTHER"; git checkout --quiet --detach; GIT_SEQUENCE_EDITOR="echo break >" git rebase --quiet -i --root release; rm -rf "$OTHER"',
    ],
  ])('changes nothing where the checkout of the branch is %s', async (_, goes) => {
    using place = await landStage();
    place.git('branch', 'release');
    // In the project's own directory, where git would find the project's checkout instead.
    const other = join(place.repository, 'other');
    place.user(`echo other > .git/info/exclude; git worktree add --quiet ${other} release`);
    place.agent(COMMIT);
    place.user(`OTHER=${other}; ${goes}`);
    const before = place.state();
    await expect(place.land({ into: 'release' })).rejects.toMatchObject({
      details: { reason: 'target_busy', path: other },
    });
    expect([place.state(), place.at('release')]).toEqual([before, place.at('main')]);
  });

  it('changes nothing for a conflict, and names the files [OP-land_agent-refuses]', async () => {
    using place = await landStage('echo 1 > c.txt; git add .; git commit --quiet -m c');
    place.agent('echo theirs > c.txt; git commit --quiet -am theirs');
    place.user('echo mine > c.txt; git commit --quiet -am mine');
    const before = place.state();
    await expect(place.land()).rejects.toMatchObject({
      details: { reason: 'conflicts', paths: ['c.txt'] },
    });
    expect(place.state()).toEqual(before);
  });

  it('refuses uncommitted work by its paths, or takes it along, or leaves it', async () => {
    using place = await landStage();
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
    using place = await landStage();
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
    using place = await landStage();
    await expect(place.land()).rejects.toMatchObject({ details: { reason: 'nothing_to_land' } });
    place.agent(`git checkout --quiet -b side; ${COMMIT}`);
    await expect(place.land()).rejects.toMatchObject({
      message: expect.stringContaining('the branch side checked out') as string,
      details: { reason: 'nothing_to_land' },
    });
    await expect(place.land({ into: 'nowhere' })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      details: { field: 'into' },
    });
  });

  it('refuses a branch that has no commit in common', async () => {
    using place = await landStage();
    place.agent(
      'git checkout --quiet --orphan new; git commit --quiet -m alone --allow-empty; git branch -f fleet/sony; git checkout --quiet fleet/sony',
    );
    await expect(place.land()).rejects.toMatchObject({ details: { reason: 'no_common_commit' } });
  });

  it('stops when a check fails on the merged tree, and changes nothing', async () => {
    using place = await landStage();
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
    using place = await landStage(
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
    using place = await landStage();
    const mark = join(place.root, 'ran');
    for (const hook of ['post-merge', 'pre-merge-commit', 'post-checkout', 'reference-transaction'])
      place.user(`printf '#!/bin/sh\\ntouch ${mark}\\n' > .git/hooks/${hook}; chmod +x .git/hooks/${hook}`);
    place.agent(COMMIT);
    await place.land();
    expect(existsSync(mark)).toBe(false);
  });

  it('leaves a checkout to the user whose files need a filter', async () => {
    using place = await landStage();
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
    using place = await landStage();
    place.git('branch', 'release');
    place.agent(COMMIT);
    const results = await Promise.allSettled([place.land(), place.land({ into: 'release' }), place.land()]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
  });
});

describe('undoing a landing', () => {
  it('puts branch and checkout back while nothing came after it [OP-undo_land]', async () => {
    using place = await landStage();
    place.agent(COMMIT);
    const before = place.state();
    const { land_id } = await place.land();
    expect(await place.undo(land_id)).toMatchObject({ how: 'reset', into: 'main' });
    expect(place.state()).toEqual(before);
    // A call that is repeated changes nothing more.
    expect(await place.undo(land_id)).toMatchObject({ how: 'reset', into: 'main' });
    expect(place.state()).toEqual(before);
    const { after } = await place.land();
    expect((await place.undo(land_id)).message).toContain('was undone before. Nothing was changed now.');
    expect(place.at('main')).toBe(after);
  });

  it('reverts it when the branch has moved on [OP-undo_land-revert]', async () => {
    using place = await landStage();
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
      using place = await landStage();
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
    using place = await landStage();
    place.agent(COMMIT);
    const { land_id } = await place.land();
    place.user('echo mine >> a.txt');
    await expect(place.undo(land_id)).rejects.toMatchObject({ details: { reason: 'target_dirty' } });
    expect(readFileSync(join(place.repository, 'a.txt'), 'utf8')).toBe('a\nmine\n');
  });
});
