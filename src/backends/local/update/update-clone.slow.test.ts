import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { landStage, type LandStage } from '../../../../test/support/places/land-stage.ts';
import type { UpdateStrategy } from '../../../domain/merge/update.ts';
import { agentWork } from '../workspace/agent-work-of.ts';
import { hasUnfinishedUpdate, noteUpdate } from './interrupted-update.ts';
import { updateClone } from './update-clone.ts';

const STRATEGIES = ['merge', 'rebase'] as const;

function update(place: LandStage, strategy: UpdateStrategy, told: string[] = []) {
  const { work, landings } = place;
  const env = { PATH: process.env['PATH'] ?? '', HOME: join(place.root, 'home') };
  const told_ = ({ commit }: { readonly commit: string }): void => void told.push(commit);
  return updateClone({ of: work, work: agentWork(work), landings, env, cell: null, told: told_ }, strategy);
}

const filesOf = (place: LandStage): string =>
  place.agent(
    'git status --porcelain --ignored --untracked-files=all; git rev-parse --abbrev-ref HEAD; cat file.txt',
  );

describe('an update', () => {
  it.each(
    STRATEGIES.flatMap((strategy) => [
      {
        strategy,
        what: 'a file',
        mine: 'echo mine > x.log',
        theirs: 'echo theirs > x.log; git add -f x.log',
      },
      {
        strategy,
        what: 'a directory',
        mine: 'mkdir -p build; echo mine > build/x',
        theirs: 'echo theirs > build; git add -f build',
      },
      {
        strategy,
        what: 'a file in place of a directory',
        mine: 'echo mine > x.log',
        theirs: 'mkdir x.log; echo theirs > x.log/y; git add -f x.log',
      },
    ]),
  )('by $strategy overwrites no ignored files: $what', async ({ strategy, mine, theirs }) => {
    using place = await landStage();
    place.agent(`echo a > a.txt; git add .; git commit --quiet -m a; ${mine}`);
    place.user(`${theirs}; git commit --quiet -m theirs`);
    const before = place.agent(
      'git rev-parse HEAD; git status --porcelain --ignored; find . -name "x*" -type f -not -path "./.git/*" -exec cat {} +',
    );
    await expect(update(place, strategy)).rejects.toMatchObject({ details: { reason: 'uncommitted' } });
    expect(
      place.agent(
        'git rev-parse HEAD; git status --porcelain --ignored; find . -name "x*" -type f -not -path "./.git/*" -exec cat {} +',
      ),
    ).toBe(before);
  });

  it('by rebase overwrites no ignored file that an own commit had for a while', async () => {
    using place = await landStage();
    place.agent(
      'echo a > x.log; git add -f x.log; git commit --quiet -m a; git rm --quiet x.log; git commit --quiet -m b; echo mine > x.log',
    );
    place.user('echo b > b.txt; git add .; git commit --quiet -m b');
    await expect(update(place, 'rebase')).rejects.toMatchObject({ details: { paths: ['x.log'] } });
    await update(place, 'merge');
    expect(readFileSync(join(place.directory, 'x.log'), 'utf8')).toBe('mine\n');
  });

  it('leaves ignored files beside those of the base', async () => {
    using place = await landStage();
    place.agent('mkdir build; echo mine > build/mine; echo mine > x.log');
    place.user('mkdir build; echo theirs > build/theirs; git add -f build; git commit --quiet -m theirs');
    await update(place, 'merge');
    expect(place.agent('cat build/mine build/theirs x.log')).toBe('mine\ntheirs\nmine\n');
  });
});

describe('an update that was cut off', () => {
  const BASE = 'echo new > new.txt; echo base >> file.txt; git add .; git commit --quiet -m base';

  it.each([
    ['in the middle of the files', 'echo base >> file.txt; echo ne > new.txt; : > .git/index.lock'],
    ['when the index was written', 'git checkout --quiet FETCH_HEAD -- .'],
    ['in a merge', 'git merge --quiet --no-commit --no-ff FETCH_HEAD'],
    [
      'in a rebase',
      'GIT_SEQUENCE_EDITOR="echo break >" git rebase --quiet -i FETCH_HEAD; echo hal >> file.txt',
    ],
    ['as it had only begun', ':'],
    ['as it had ended', 'git merge --quiet FETCH_HEAD -m done'],
  ])('%s leaves nothing of it, and can be done again', async (_, cut) => {
    using place = await landStage();
    place.agent('echo a > a.txt; git add .; git commit --quiet -m a; echo mine > x.log');
    const head = place.agent('git rev-parse HEAD').trim();
    place.user(BASE);
    place.agent(`git fetch --quiet '${place.repository}' main; ${cut}`);
    noteUpdate(place.work.paths, { head, added: ['new.txt'] });
    await expect(update(place, 'base')).resolves.toBeDefined();
    expect(hasUnfinishedUpdate(place.work.paths)).toBe(false);
    const done = place.agent('git log --format=%s').startsWith('done');
    expect(filesOf(place)).toBe(`!! x.log\nfleet/sony\nfirst\n${done ? 'base\n' : ''}`);
    await update(place, 'rebase');
    expect(filesOf(place)).toBe('!! x.log\nfleet/sony\nfirst\nbase\n');
  });

  it('keeps what was written since in a checkpoint, and follows no link', async () => {
    using place = await landStage();
    const head = place.agent('git rev-parse HEAD').trim();
    const outside = join(place.root, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'new.txt'), 'mine');
    place.agent(
      `echo since > since.txt; echo since >> file.txt; ln -s '${outside}' link; : > .git/index.lock`,
    );
    noteUpdate(place.work.paths, { head, added: ['link/new.txt', 'new.txt'] });
    const told: string[] = [];
    await update(place, 'base', told);
    const fleet = place.reader.arrived.repository;
    expect(place.agent(`git --git-dir='${fleet}' show ${told[0]}:since.txt ${told[0]}:file.txt`)).toBe(
      'since\nfirst\nsince\n',
    );
    expect(readFileSync(join(outside, 'new.txt'), 'utf8')).toBe('mine');
    expect(filesOf(place)).toContain('fleet/sony\nfirst\n');
  });
});

describe('an update that cannot be made', () => {
  it.each(STRATEGIES)('by %s names the problem of git, which is not a conflict', async (strategy) => {
    using place = await landStage();
    place.agent(
      'echo "*.bin filter=x" >> .git/info/attributes; echo a > a.txt; git add .; git commit --quiet -m a; git config filter.x.clean cat; git config filter.x.smudge false; git config filter.x.required true',
    );
    place.user('echo b > b.bin; git add .; git commit --quiet -m b');
    const before = filesOf(place);
    await expect(update(place, strategy)).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: expect.stringContaining('filter') as string,
      details: { reason: 'merge_failed' },
    });
    expect(filesOf(place)).toBe(before);
    expect(hasUnfinishedUpdate(place.work.paths)).toBe(false);
  });

  it.each(STRATEGIES)('by %s says that there is no commit in common', async (strategy) => {
    using place = await landStage();
    place.agent('echo a > a.txt; git add .; git commit --quiet -m a');
    place.user(
      'git checkout --quiet --orphan other; git commit --quiet -m other; git branch --quiet -M other main',
    );
    const before = filesOf(place);
    await expect(update(place, strategy)).rejects.toMatchObject({
      details: { reason: 'no_common_commit' },
    });
    expect(filesOf(place)).toBe(before);
  });

  it('is no conflict for the agent to resolve where the base reverts its work', async () => {
    using place = await landStage();
    place.agent('echo a > a.txt; git add .; git commit --quiet -m a');
    const { land_id } = await place.land();
    place.user('echo b > b.txt; git add .; git commit --quiet -m b');
    await place.undo(land_id);
    await expect(update(place, 'merge')).rejects.toMatchObject({ details: { reason: 'base_reverts' } });
  });
});
