import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { agentClone } from '../../../../test/support/installs/agent-clone.ts';

interface Case {
  readonly what: string;
  /** What the agent does. */
  readonly agent: string;
  /** Files of the branch. */
  readonly kept: Readonly<Record<string, string>>;
  /** Files of other commits that the branch leads to, by their subject. */
  readonly commits?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const DIVERGE = `
  git checkout --quiet -b side main; echo side > file.txt; git commit --quiet -am side
  git checkout --quiet fleet/sony; echo mine > file.txt; git commit --quiet -am mine`;

const CASES: readonly Case[] = [
  {
    what: 'an untracked file',
    agent: 'echo new > new.txt',
    kept: { 'new.txt': 'new\n', 'file.txt': 'first\n' },
  },
  { what: 'a modified file', agent: 'echo changed > file.txt', kept: { 'file.txt': 'changed\n' } },
  { what: 'a staged file', agent: 'echo staged > s.txt; git add s.txt', kept: { 's.txt': 'staged\n' } },
  {
    what: 'a file that was staged and then changed, as it is now',
    agent: 'echo staged > file.txt; git add file.txt; echo changed > file.txt',
    kept: { 'file.txt': 'changed\n' },
  },
  {
    what: 'a file that was staged and changed at once to one of the same size',
    // Git looks at sizes and seconds: in a later second it would take the file for what was staged.
    agent: 'echo s > file.txt; git add file.txt; echo t > file.txt; sleep 1',
    kept: { 'file.txt': 't\n' },
  },
  {
    what: 'a commit',
    agent: 'echo c > c.txt; git add .; git commit --quiet -m c',
    kept: { 'c.txt': 'c\n' },
  },
  {
    what: 'a stash',
    agent: 'echo stashed > file.txt; git stash --quiet; git stash list --format=%H',
    kept: { 'file.txt': 'first\n' },
    commits: { 'WIP on fleet/sony': { 'file.txt': 'stashed\n' } },
  },
  {
    what: 'two stashes beside other work',
    agent:
      'echo one > file.txt; git stash push --quiet -m one; echo two > file.txt; git stash push --quiet -m two; echo n > n.txt',
    kept: { 'n.txt': 'n\n' },
    commits: {
      'On fleet/sony: two': { 'file.txt': 'two\n' },
      'On fleet/sony: one': { 'file.txt': 'one\n' },
    },
  },
  {
    what: 'a rebase that stopped: what was replayed, and the branch as it was',
    agent: `git checkout --quiet -b side main; echo side > file.txt; git commit --quiet -am side
      git checkout --quiet fleet/sony; echo a > a.txt; git add .; git commit --quiet -m a
      echo mine > file.txt; git commit --quiet -am mine; ! git rebase --quiet side 2>/dev/null`,
    kept: { 'a.txt': 'a\n' },
    commits: { mine: { 'a.txt': 'a\n', 'file.txt': 'mine\n' } },
  },
  {
    what: 'a merge with conflicts',
    agent: `${DIVERGE}; ! git merge --quiet side >/dev/null; echo n > n.txt`,
    kept: { 'n.txt': 'n\n' },
    commits: { side: { 'file.txt': 'side\n' }, mine: { 'file.txt': 'mine\n' } },
  },
  {
    what: 'a bisection, with the branch that it left',
    agent: `for n in 1 2 3 4; do echo $n > n.txt; git add .; git commit --quiet -m $n; done
      git bisect start HEAD main >/dev/null; echo note > note.txt`,
    kept: { 'note.txt': 'note\n' },
    commits: { '4': { 'n.txt': '4\n' } },
  },
  {
    what: 'commits without a branch',
    agent: 'git checkout --quiet --detach; echo d > d.txt; git add .; git commit --quiet -m d',
    kept: { 'd.txt': 'd\n' },
  },
  {
    what: 'a branch that is not checked out',
    agent:
      'git checkout --quiet -b feature; echo f > f.txt; git add .; git commit --quiet -m feature; git checkout --quiet fleet/sony',
    kept: { 'file.txt': 'first\n' },
    commits: { feature: { 'f.txt': 'f\n' } },
  },
  {
    what: 'work on a branch of another name',
    agent: 'echo f > f.txt; git add .; git commit --quiet -m f; git branch -m feature',
    kept: { 'f.txt': 'f\n' },
  },
  {
    what: 'a history that has not begun',
    agent: 'git checkout --quiet --orphan fresh; echo o > o.txt',
    kept: { 'o.txt': 'o\n', 'file.txt': 'first\n' },
  },
  {
    what: 'files beside a sparse checkout',
    agent: `mkdir deep; echo x > deep/x; git add .; git commit --quiet -m x
      git sparse-checkout set --no-cone /deep/ ; echo y > deep/y`,
    kept: { 'deep/y': 'y\n', 'file.txt': 'first\n' },
  },
  {
    what: 'a split index',
    agent: 'git update-index --split-index; echo s > file.txt; git add file.txt; echo t > file.txt',
    kept: { 'file.txt': 't\n' },
  },
  {
    what: 'a workspace with a lock on its index',
    agent: 'touch .git/index.lock; echo n > n.txt',
    kept: { 'n.txt': 'n\n' },
  },
  {
    what: 'a file where a directory was, and the other way round',
    agent:
      'mkdir d; echo 1 > d/1; git add .; git commit --quiet -m d; rm -r d file.txt; echo d > d; mkdir file.txt; echo f > file.txt/f',
    kept: { d: 'd\n', 'file.txt/f': 'f\n' },
  },
  {
    what: 'work beside files of a repository inside, which are in the archive',
    agent: 'git init --quiet in; echo x > in/x; echo n > n.txt',
    kept: { 'n.txt': 'n\n' },
  },
];

describe('deleting keeps', () => {
  it.each(CASES.map((each) => [each.what, each] as const))('%s', async (_, { agent, kept, commits = {} }) => {
    using place = await agentClone();
    place.agent(agent);
    expect(await place.delete()).toEqual({ branches: [place.kept], notes: [] });
    for (const [path, content] of Object.entries(kept))
      expect(place.git('show', `${place.kept}:${path}`)).toBe(content);
    for (const [subject, files] of Object.entries(commits)) {
      const commit = place.git('log', '--format=%H', `--grep=^${subject}`, place.kept).split('\n')[0];
      for (const [path, content] of Object.entries(files))
        expect(place.git('show', `${commit}:${path}`)).toBe(content);
    }
    expect(place.git('fsck', '--strict', '--no-dangling')).toBe('');
    expect(place.git('for-each-ref', 'refs/remotes/fleet')).toBe('');
  });

  it('the state of the last task when the workspace is gone', async () => {
    using place = await agentClone();
    place.agent('echo c > c.txt; git add .; git commit --quiet -m c; echo n > n.txt');
    const look = await place.reader.look();
    await place.reader.takeOver(look);
    await place.reader.checkpoint('a task', look);
    rmSync(place.directory, { recursive: true });
    expect(await place.delete()).toEqual({ branches: [place.kept], notes: [] });
    expect(place.git('show', `${place.kept}:n.txt`)).toBe('n\n');
    expect(place.git('show', `${place.kept}^:c.txt`)).toBe('c\n');
  });

  it('the same branch when it was cut off before that was noted', async () => {
    using place = await agentClone();
    place.agent('echo n > n.txt');
    await place.delete();
    const before = place.git('rev-parse', place.kept);
    rmSync(join(place.work.paths.directory, 'kept.done'));
    expect(await place.delete()).toEqual({ branches: [place.kept], notes: [] });
    expect(place.git('rev-parse', place.kept)).toBe(before);
  });

  it.each([
    ['whose .git is gone', 'rm -rf .git; echo n > n.txt'],
    ['whose .git is nonsense', 'rm -rf .git; echo nonsense > .git'],
    ['whose HEAD is nonsense', 'echo nonsense > .git/HEAD'],
    [
      'whose objects are broken',
      'echo c > c.txt; git add .; git commit --quiet -m c; rm -rf .git/objects/??',
    ],
  ])('nothing on a branch of a repository %s, and says that it is in the archive', async (_, agent) => {
    using place = await agentClone();
    place.agent(agent);
    const { branches, notes } = await place.delete();
    expect(branches).toEqual([]);
    expect(notes).toEqual([expect.stringContaining('its work is in the archive and on no branch')]);
    expect(existsSync(place.directory)).toBe(true);
  });
});

const NOTHING: readonly { what: string; agent: string }[] = [
  { what: 'nothing was done', agent: 'true' },
  {
    what: 'only files were made that the project ignores',
    agent: 'mkdir build; echo b > build/b; echo l > l.log',
  },
  { what: 'a file was touched', agent: 'touch file.txt' },
  { what: 'there are empty directories', agent: 'mkdir -p a/b' },
  { what: 'all is undone again', agent: 'git checkout --quiet --orphan fresh; git rm -rfq .' },
];

describe('deleting keeps nothing when', () => {
  it.each(NOTHING.map((each) => [each.what, each] as const))('%s', async (_, { agent }) => {
    using place = await agentClone();
    place.agent(agent);
    expect(await place.delete()).toEqual({ branches: [], notes: [] });
    expect(place.git('for-each-ref', 'refs/heads/fleet-kept', 'refs/remotes/fleet')).toBe('');
  });

  it('the user has taken its commits', async () => {
    using place = await agentClone();
    place.agent('echo c > c.txt; git add .; git commit --quiet -m c');
    await place.reader.takeOver(await place.reader.look());
    place.git('merge', '--quiet', 'fleet/sony');
    expect(await place.delete()).toEqual({ branches: [], notes: [] });
  });
});
