import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { agentWorktree } from '../../../test/support/agent-worktree.ts';

interface Case {
  readonly what: string;
  /** What the agent does. */
  readonly agent: string;
  /** Files by the end of the branch that has them. */
  readonly kept: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const DIVERGE = `
  git checkout --quiet -b side main; echo side > file.txt; git commit --quiet -am side
  git checkout --quiet fleet/sony; echo mine > file.txt; git commit --quiet -am mine`;

const CASES: readonly Case[] = [
  {
    what: 'an untracked file',
    agent: 'echo new > new.txt',
    kept: { '': { 'new.txt': 'new\n', 'file.txt': 'first\n' } },
  },
  { what: 'a modified file', agent: 'echo changed > file.txt', kept: { '': { 'file.txt': 'changed\n' } } },
  {
    what: 'a staged file',
    agent: 'echo staged > s.txt; git add s.txt',
    kept: { '': { 's.txt': 'staged\n' } },
  },
  {
    what: 'a file that was staged and then changed, both ways',
    agent: 'echo staged > file.txt; git add file.txt; echo changed > file.txt',
    kept: { '': { 'file.txt': 'changed\n' }, '-index': { 'file.txt': 'staged\n' } },
  },
  {
    what: 'a file that was staged and changed at once to one of the same size',
    // Git looks at sizes and seconds: in a later second it would take the file for what was staged.
    agent: 'echo s > file.txt; git add file.txt; echo t > file.txt; sleep 1',
    kept: { '': { 'file.txt': 't\n' }, '-index': { 'file.txt': 's\n' } },
  },
  {
    what: 'a file that was staged and then removed',
    agent: 'echo staged > s.txt; git add s.txt; rm s.txt',
    kept: { '': { 's.txt': 'staged\n' } },
  },
  {
    what: 'a commit',
    agent: 'echo c > c.txt; git add .; git commit --quiet -m c',
    kept: { '': { 'c.txt': 'c\n' } },
  },
  {
    what: 'a stash',
    agent: 'echo stashed > file.txt; git stash --quiet',
    kept: { '': { 'file.txt': 'stashed\n' } },
  },
  {
    what: 'two stashes beside other work',
    agent:
      'echo one > file.txt; git stash --quiet; echo two > file.txt; git stash push --quiet -m two; echo n > n.txt',
    kept: { '': { 'n.txt': 'n\n' }, '-stash': { 'file.txt': 'two\n' }, '-stash-2': { 'file.txt': 'one\n' } },
  },
  {
    what: 'a commit that was cut off, with the message',
    agent:
      'echo c > c.txt; git add .; cp "$(git rev-parse --git-dir)/index" "$(git rev-parse --git-dir)/index.lock"; echo "half a thought" > "$(git rev-parse --git-dir)/COMMIT_EDITMSG"',
    kept: { '': { 'c.txt': 'c\n' } },
  },
  {
    what: 'a rebase that stopped: what was replayed, and the branch as it was',
    agent: `git checkout --quiet -b side main; echo side > file.txt; git commit --quiet -am side
      git checkout --quiet fleet/sony; echo a > a.txt; git add .; git commit --quiet -m a
      echo mine > file.txt; git commit --quiet -am mine; ! git rebase --quiet side 2>/dev/null`,
    kept: { '': { 'a.txt': 'a\n' }, '-branch': { 'a.txt': 'a\n', 'file.txt': 'mine\n' } },
  },
  {
    what: 'a merge with conflicts',
    agent: `${DIVERGE}; ! git merge --quiet side >/dev/null; echo n > n.txt`,
    kept: { '': { 'n.txt': 'n\n' } },
  },
  {
    what: 'a merge of commits that are on no branch',
    agent: `git checkout --quiet --detach; echo side > file.txt; git commit --quiet -am side; side=$(git rev-parse HEAD)
      git checkout --quiet fleet/sony; echo mine > file.txt; git commit --quiet -am mine; ! git merge --quiet $side >/dev/null`,
    kept: { '': { 'other.txt': 'other\n' }, '-merged': { 'file.txt': 'side\n' } },
  },
  {
    what: 'a pick that stopped',
    agent: `git checkout --quiet --detach; echo side > file.txt; git commit --quiet -am side; side=$(git rev-parse HEAD)
      git checkout --quiet fleet/sony; echo mine > file.txt; git commit --quiet -am mine; ! git cherry-pick $side >/dev/null 2>&1`,
    kept: { '': { 'other.txt': 'other\n' }, '-picked': { 'file.txt': 'side\n' } },
  },
  {
    what: 'a revert that stopped',
    agent: `echo a > file.txt; git commit --quiet -am a; echo b > file.txt; git commit --quiet -am b; ! git revert --no-edit HEAD~1 >/dev/null 2>&1`,
    kept: { '': { 'other.txt': 'other\n' } },
  },
  {
    what: 'a bisection, with the branch that it left',
    agent: `for n in 1 2 3 4; do echo $n > n.txt; git add .; git commit --quiet -m $n; done
      git bisect start HEAD main >/dev/null; echo note > note.txt`,
    kept: { '': { 'note.txt': 'note\n' }, '-branch': { 'n.txt': '4\n' } },
  },
  {
    what: 'commits without a branch',
    agent: 'git checkout --quiet --detach; echo d > d.txt; git add .; git commit --quiet -m d',
    kept: { '': { 'd.txt': 'd\n' } },
  },
  {
    what: 'a history that has not begun',
    agent: 'git checkout --quiet --orphan fresh; echo o > o.txt',
    kept: { '': { 'o.txt': 'o\n', 'file.txt': 'first\n' } },
  },
  {
    what: 'files that git was told not to look at',
    agent: `git update-index --assume-unchanged file.txt; git update-index --skip-worktree other.txt
      echo a > file.txt; echo b > other.txt`,
    kept: { '': { 'file.txt': 'a\n', 'other.txt': 'b\n' } },
  },
  {
    what: 'files beside a sparse checkout',
    agent: `mkdir deep; echo x > deep/x; git add .; git commit --quiet -m x
      git sparse-checkout set --cone deep 2>/dev/null; git sparse-checkout set --no-cone /deep/ ; echo y > deep/y`,
    kept: { '': { 'deep/y': 'y\n', 'file.txt': 'first\n' } },
  },
  {
    what: 'a split index',
    agent: 'git update-index --split-index; echo s > file.txt; git add file.txt; echo t > file.txt',
    kept: { '': { 'file.txt': 't\n' }, '-index': { 'file.txt': 's\n' } },
  },
  {
    what: 'a worktree with a lock on its index',
    agent: 'touch "$(git rev-parse --git-dir)/index.lock"; echo n > n.txt',
    kept: { '': { 'n.txt': 'n\n' } },
  },
  {
    what: 'a locked worktree',
    agent: 'git worktree lock .; echo n > n.txt',
    kept: { '': { 'n.txt': 'n\n' } },
  },
  {
    what: 'a worktree without its .git',
    agent: 'echo s > s.txt; git add .; rm .git; echo n > n.txt',
    kept: { '': { 'n.txt': 'n\n', 's.txt': 's\n' } },
  },
  {
    what: 'a worktree whose .git is nonsense',
    agent: 'echo nonsense > .git; echo n > n.txt',
    kept: { '': { 'n.txt': 'n\n' } },
  },
  {
    what: 'a worktree whose index is nonsense',
    agent: 'echo nonsense > "$(git rev-parse --git-dir)/index"; echo n > n.txt; rm other.txt',
    kept: { '': { 'n.txt': 'n\n', 'file.txt': 'first\n' } },
  },
  {
    what: 'a worktree whose notes in the repository are gone',
    agent:
      'echo c > c.txt; git add .; git commit --quiet -m c; rm -r "$(git rev-parse --git-dir)"; echo n > n.txt',
    kept: { '': { 'n.txt': 'n\n', 'c.txt': 'c\n' } },
  },
  {
    what: 'a worktree whose HEAD is nonsense',
    agent:
      'echo c > c.txt; git add .; git commit --quiet -m c; echo nonsense > "$(git rev-parse --git-dir)/HEAD"; echo n > n.txt',
    kept: { '': { 'n.txt': 'n\n', 'c.txt': 'c\n' } },
  },
  {
    what: 'a file where a directory was, and the other way round',
    agent:
      'mkdir d; echo 1 > d/1; git add .; git commit --quiet -m d; rm -r d file.txt; echo d > d; mkdir file.txt; echo f > file.txt/f',
    kept: { '': { d: 'd\n', 'file.txt/f': 'f\n' } },
  },
  {
    what: 'files whose encoding is not what their attributes say',
    agent: `echo '*.txt working-tree-encoding=UTF-16' > .gitattributes; printf 'odd' > odd.txt`,
    kept: { '': { 'odd.txt': 'odd' } },
  },
  {
    what: 'files that the agent told git to ignore',
    agent: `echo hidden.txt >> .gitignore; echo h > hidden.txt; mkdir -p cache; touch cache/CACHEDIR.TAG; echo c > cache/c
      echo '*' > cache/.gitignore; echo excluded.txt >> "$(git rev-parse --git-common-dir)/info/exclude"; echo e > excluded.txt`,
    kept: { '': { 'file.txt': 'first\n' }, '-ignored': { 'hidden.txt': 'h\n', 'excluded.txt': 'e\n' } },
  },
  {
    what: 'files that a configuration of the agent tells git to ignore',
    agent: `echo '*.md' > "$HOME/rules"; git config core.excludesFile "$HOME/rules"; echo r > r.md`,
    kept: { '': { 'r.md': 'r\n' } },
  },
];

describe('deleting keeps', () => {
  it.each(CASES.map((each) => [each.what, each] as const))('%s', async (_, { agent, kept }) => {
    using place = agentWorktree();
    place.agent(agent);
    const { ends } = await place.delete();
    expect(ends).toEqual(Object.keys(kept));
    for (const [end, files] of Object.entries(kept))
      for (const [path, content] of Object.entries(files)) expect(place.show(end, path)).toBe(content);
    expect(existsSync(place.directory)).toBe(false);
    expect(place.git('fsck', '--strict', '--no-dangling')).toBe('');
  });
});

const NOTHING: readonly { what: string; agent: string }[] = [
  { what: 'nothing was done', agent: 'true' },
  {
    what: 'only files were made that the project ignores',
    agent: 'mkdir build; echo b > build/b; echo l > l.log',
  },
  {
    what: 'the work is on another branch',
    agent: 'git checkout --quiet -b feature; echo f > f.txt; git add .; git commit --quiet -m f',
  },
  {
    what: 'the branch was renamed',
    agent: 'echo f > f.txt; git add .; git commit --quiet -m f; git branch -m feature',
  },
  { what: 'a file was touched', agent: 'touch file.txt' },
  { what: 'there are empty directories', agent: 'mkdir -p a/b' },
  {
    what: 'a file was staged and committed elsewhere',
    agent: 'echo t > t.txt; git add .; git commit --quiet -m t; git tag mine',
  },
  { what: 'all is undone again', agent: 'git checkout --quiet --orphan fresh; git rm -rfq .' },
];

describe('deleting keeps nothing when', () => {
  it.each(NOTHING.map((each) => [each.what, each] as const))('%s', async (_, { agent }) => {
    using place = agentWorktree();
    place.agent(agent);
    expect(await place.delete()).toMatchObject({ branches: [], notes: [] });
    expect(place.git('for-each-ref', 'refs/heads/fleet-kept')).toBe('');
    expect(place.git('for-each-ref', 'refs/heads/fleet/sony')).toBe('');
    expect(place.git('worktree', 'list').trim().split('\n')).toHaveLength(1);
  });
});
