import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { landStage, type LandStage } from '../../../../test/support/places/land-stage.ts';

const commitOf = (file: string, text = file): string =>
  `printf '${text}' > ${file}; git add .; git commit --quiet -m ${file}`;

/** The agent merges the newest commits of the project's branch. */
const TAKE_IN = 'git pull --quiet --no-edit --no-rebase ../../../../repository main';

function filesOf(place: LandStage, branch = 'main'): readonly string[] {
  const own = ['.gitignore', 'file.txt', 'other.txt', ''];
  return place
    .git('ls-tree', '-r', '--name-only', branch)
    .split('\n')
    .filter((name) => !own.includes(name));
}

const STRATEGIES = ['merge', 'squash', 'rebase'] as const;
const TWICE = STRATEGIES.flatMap((first) => STRATEGIES.map((second) => ({ first, second })));

describe('landing again what was reverted', () => {
  it.each(TWICE)(
    'by $second after $first, brings back nothing that others have removed',
    async ({ first, second }) => {
      using place = await landStage();
      place.agent(commitOf('a'));
      const { land_id } = await place.land({ strategy: first });
      place.user(`${commitOf('theirs')}; ${commitOf('kept')}`);
      place.agent(TAKE_IN);
      place.user('git rm --quiet theirs; git commit --quiet -m removed');
      expect(await place.undo(land_id)).toMatchObject({ how: 'revert' });
      expect(filesOf(place)).toEqual(['kept']);
      await place.land({ strategy: second });
      expect(filesOf(place)).toEqual(['a', 'kept']);
      await expect(place.land()).rejects.toMatchObject({ details: { reason: 'nothing_to_land' } });
      place.agent(commitOf('a', 'newer'));
      await place.land({ strategy: second });
      expect(place.git('show', 'main:a')).toBe('newer');
      expect(filesOf(place)).toEqual(['a', 'kept']);
    },
  );

  it.each(STRATEGIES)('lands by %s what was reverted twice', async (strategy) => {
    using place = await landStage();
    place.agent(commitOf('a'));
    for (const round of ['one', 'two']) {
      const { land_id } = await place.land({ strategy });
      place.user(commitOf(round));
      await place.undo(land_id);
      expect(filesOf(place)).not.toContain('a');
      place.agent(commitOf(`more-${round}`));
    }
    await place.land({ strategy });
    expect(filesOf(place)).toEqual(['a', 'more-one', 'more-two', 'one', 'two']);
  });

  it.each(STRATEGIES)('lands by %s what was reverted after a later landing', async (strategy) => {
    using place = await landStage();
    place.agent(commitOf('a'));
    const { land_id } = await place.land({ strategy });
    place.agent(commitOf('b'));
    await place.land({ strategy });
    await place.undo(land_id);
    expect(filesOf(place)).toEqual(['b']);
    await place.land({ strategy });
    expect(filesOf(place)).toEqual(['a', 'b']);
  });

  it.each(STRATEGIES)('lands by %s two landings that were reverted one after the other', async (strategy) => {
    using place = await landStage();
    place.agent(commitOf('a'));
    const first = await place.land({ strategy });
    place.agent(commitOf('a', 'newer'));
    const second = await place.land({ strategy });
    place.user(commitOf('mine'));
    await place.undo(second.land_id);
    await place.undo(first.land_id);
    expect(filesOf(place)).toEqual(['mine']);
    await place.land({ strategy });
    expect([filesOf(place), place.git('show', 'main:a')]).toEqual([['a', 'mine'], 'newer']);
  });

  it('leaves a revert alone that the agent has taken in', async () => {
    using place = await landStage();
    place.agent(`${commitOf('a')}; ${commitOf('b')}`);
    const { land_id } = await place.land();
    place.user(commitOf('mine'));
    await place.undo(land_id);
    place.agent(`${TAKE_IN}; ${commitOf('b')}`);
    await place.land();
    expect(filesOf(place)).toEqual(['b', 'mine']);
  });

  it('lands on one branch what was reverted on another', async () => {
    using place = await landStage();
    place.git('branch', 'release');
    place.agent(commitOf('a'));
    const { land_id } = await place.land({ strategy: 'squash' });
    place.user(commitOf('mine'));
    await place.undo(land_id);
    await place.land({ strategy: 'squash', into: 'release' });
    expect([filesOf(place), filesOf(place, 'release')]).toEqual([['mine'], ['a']]);
    place.agent(commitOf('a', 'newer'));
    await place.land({ strategy: 'squash' });
    await place.land({ strategy: 'squash', into: 'release' });
    expect([filesOf(place), filesOf(place, 'release')]).toEqual([['a', 'mine'], ['a']]);
  });
});

describe('landing uncommitted work', () => {
  it.each(TWICE)('does not conflict with itself by $second after $first', async ({ first, second }) => {
    using place = await landStage();
    place.agent(`${commitOf('a')}; printf 1 > new; printf 1 >> file.txt; rm other.txt`);
    await place.land({ strategy: first, uncommitted: 'include' });
    place.agent('printf 2 >> new; printf 2 >> file.txt');
    place.user(commitOf('mine'));
    await place.land({ strategy: first, uncommitted: 'include' });
    place.agent(
      'printf 3 >> new; git add -A; git commit --quiet -m new; printf 4 >> new; git commit --quiet -am 4',
    );
    await place.land({ strategy: second });
    expect([place.git('show', 'main:new'), place.git('show', 'main:file.txt')]).toEqual([
      '1234',
      'first\n12',
    ]);
    expect(filesOf(place)).toEqual(['a', 'mine', 'new']);
  });

  it.each(STRATEGIES)('makes no commit by %s that changes nothing', async (strategy) => {
    using place = await landStage();
    place.agent('printf 1 > new');
    await place.land({ strategy, uncommitted: 'include' });
    const before = place.state();
    await expect(place.land({ strategy, uncommitted: 'include' })).rejects.toMatchObject({
      details: { reason: 'nothing_to_land' },
    });
    expect(place.state()).toEqual(before);
  });

  it('keeps what was landed when other work is landed without it', async () => {
    using place = await landStage();
    place.agent('printf 1 > new');
    await place.land({ uncommitted: 'include' });
    place.agent(
      'git add new; git stash --quiet; printf a > a; git add a; git commit --quiet -m a; git stash pop --quiet',
    );
    await place.land({ uncommitted: 'leave' });
    expect(filesOf(place)).toEqual(['a', 'new']);
  });

  it('can be reverted, and land again as it is then', async () => {
    using place = await landStage();
    place.agent('printf 1 > new; printf x > other');
    const { land_id } = await place.land({ uncommitted: 'include' });
    place.user(commitOf('mine'));
    await place.undo(land_id);
    expect(filesOf(place)).toEqual(['mine']);
    place.agent('printf 2 > new; rm other');
    await place.land({ uncommitted: 'include' });
    expect([place.git('show', 'main:new'), filesOf(place)]).toEqual(['2', ['mine', 'new']]);
  });
});

describe('landing by rebase', () => {
  it('refuses a branch whose merge commits have changes of their own', async () => {
    using place = await landStage();
    place.agent(commitOf('a'));
    place.user(commitOf('mine'));
    place.agent(
      `${TAKE_IN}; printf evil > only-here; git add .; git commit --quiet --amend --no-edit; ${commitOf('b')}`,
    );
    const before = place.state();
    await expect(place.land({ strategy: 'rebase' })).rejects.toMatchObject({
      details: { reason: 'conflicts', paths: ['only-here'] },
    });
    expect(place.state()).toEqual(before);
    await place.land({ strategy: 'squash' });
    expect(filesOf(place)).toEqual(['a', 'b', 'mine', 'only-here']);
  });
});

describe('undoing a landing', () => {
  it('goes back where only the times of files are new', async () => {
    using place = await landStage();
    place.agent(commitOf('a'));
    const { land_id } = await place.land();
    utimesSync(join(place.repository, 'a'), 1, 1);
    expect(await place.undo(land_id)).toMatchObject({ how: 'reset' });
    expect(filesOf(place)).toEqual([]);
    expect(place.git('status', '--short')).toBe('');
  });
});
