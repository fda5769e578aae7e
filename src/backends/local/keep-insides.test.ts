import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { agentWorktree, type AgentWorktree } from '../../../test/support/agent-worktree.ts';

const COMMITTED = 'git init --quiet; echo one > one.txt; git add .; git commit --quiet -m one';

describe('repositories inside a worktree', () => {
  it('are kept with their files, commits and stashes, and can be made again', async () => {
    using place = agentWorktree();
    place.agent(`mkdir -p lib/inner; cd lib/inner; ${COMMITTED}; echo stashed > one.txt; git stash --quiet
      echo changed > one.txt; echo new > new.txt; git branch other`);
    const { ends } = await place.delete();
    expect(ends).toEqual(['']);
    expect(place.show('', 'lib/inner/one.txt')).toBe('changed\n');
    expect(place.show('', 'lib/inner/new.txt')).toBe('new\n');
    const again = remake(place, 'lib/inner');
    expect(inside(again, 'log', '--format=%s', 'other')).toBe('one\n');
    expect(inside(again, 'show', 'stash@{0}:one.txt')).toBe('stashed\n');
    expect(inside(again, 'status', '--porcelain')).toBe(' M one.txt\n?? new.txt\n');
  });

  it('are kept when they have no commit yet', async () => {
    using place = agentWorktree();
    place.agent('mkdir fresh; cd fresh; git init --quiet; echo f > f.txt; echo g > ../g.txt');
    expect((await place.delete()).ends).toEqual(['', '-nested']);
    expect(place.names('')).not.toContain('fresh');
    expect(place.show('', 'g.txt')).toBe('g\n');
    expect(place.show('-nested', 'fresh/f.txt')).toBe('f\n');
  });

  it('are kept when they are inside of one another', async () => {
    using place = agentWorktree();
    place.agent(
      `mkdir -p a/b; cd a/b; ${COMMITTED}; cd ..; git init --quiet; echo a > a.txt; git add a.txt; git commit --quiet -m a`,
    );
    await place.delete();
    expect(place.names('')).toEqual(
      expect.arrayContaining(['a/a.txt', 'a/b/one.txt', 'a/b/.git-kept/HEAD', 'a/.git-kept/HEAD']),
    );
  });

  it('are not kept when all of them is elsewhere', async () => {
    using place = agentWorktree();
    makeOther(place);
    place.agent('git clone --quiet ../../other clone');
    expect((await place.delete()).branches).toEqual([]);
  });

  it('are kept as far as they are not: a changed file without the history that is elsewhere', async () => {
    using place = agentWorktree();
    makeOther(place);
    place.agent('git clone --quiet ../../other clone; echo changed > clone/one.txt');
    expect((await place.delete()).ends).toEqual(['']);
    expect(place.names('')).toEqual(['clone/one.txt']);
  });

  it('are kept when they took the place of the worktree itself', async () => {
    using place = agentWorktree();
    place.agent('rm .git; git init --quiet; echo n > n.txt; git add .; git commit --quiet -m own');
    expect((await place.delete()).ends).toEqual(['', '-nested']);
    expect(place.show('', 'n.txt')).toBe('n\n');
    expect(place.names('-nested')).toContain('.git-kept/HEAD');
  });

  it('are kept when they are submodules with commits of their own', async () => {
    using place = agentWorktree();
    makeOther(place);
    place.agent(`git -c protocol.file.allow=always submodule --quiet add ../../other sub; git commit --quiet -m sub
      cd sub; echo two > two.txt; git add .; git commit --quiet -m two; echo three > three.txt`);
    expect((await place.delete()).ends).toEqual(['', '-nested']);
    expect(place.names('-nested')).toEqual(expect.arrayContaining(['sub/three.txt', 'sub/two.txt']));
    const again = remake(place, 'sub', '-nested');
    expect(inside(again, 'log', '-1', '--format=%s')).toBe('two\n');
    expect(place.git('ls-tree', place.main, 'sub')).toContain(inside(again, 'rev-parse', 'HEAD').trim());
  });

  it('are kept when they are submodules whose files are gone', async () => {
    using place = agentWorktree();
    makeOther(place);
    place.agent(`git -c protocol.file.allow=always submodule --quiet add ../../other sub; git commit --quiet -m sub
      cd sub; echo two > two.txt; git add .; git commit --quiet -m two; cd ..; rm -r sub`);
    const { ends } = await place.delete();
    expect(ends).toContain('-nested');
    expect(place.names('-nested')).toContain('.git-modules/sub/HEAD');
  });

  it('are not kept when they are submodules as they were fetched', async () => {
    using place = agentWorktree();
    makeOther(place);
    place.agent(
      'git -c protocol.file.allow=always submodule --quiet add ../../other sub; git commit --quiet -m sub',
    );
    expect((await place.delete()).ends).toEqual(['']);
  });

  it('are kept when they are worktrees that the agent made, also where git ignores them', async () => {
    using place = agentWorktree();
    place.agent('git worktree add --quiet -b second build/second; echo s > build/second/s.txt');
    expect((await place.delete()).ends).toEqual(['']);
    expect(place.show('', 'build/second/s.txt')).toBe('s\n');
    expect(place.git('for-each-ref', 'refs/heads/second')).not.toBe('');
  });

  it('are kept when a submodule was emptied and files were put there', async () => {
    using place = agentWorktree();
    makeOther(place);
    place.agent(`git -c protocol.file.allow=always submodule --quiet add ../../other sub; git commit --quiet -m sub
      git submodule --quiet deinit -f sub; echo loose > sub/loose.txt`);
    await place.delete();
    expect(place.show('-nested', 'sub/loose.txt')).toBe('loose\n');
  });
});

function makeOther({ root, git }: AgentWorktree): void {
  execFileSync(
    'sh',
    [
      '-ec',
      `mkdir other; cd other; git init --quiet -b main; echo one > one.txt; git add .
    git -c user.name=a -c user.email=a@localhost commit --quiet -m one`,
    ],
    { cwd: root },
  );
  git('config', 'protocol.file.allow', 'always');
}

/** As the page on keeping work says. */
function remake(place: AgentWorktree, path: string, end = ''): string {
  const target = join(place.root, 'again');
  execFileSync('sh', [
    '-ec',
    `mkdir "$1"; git -C "$2" archive "$3" | tar -x -C "$1"; cd "$1/$4"
    mv .git-kept .git; mkdir -p .git/refs .git/objects; GIT_WORK_TREE=. git config --unset core.worktree || true`,
    'sh',
    target,
    place.repository,
    `${place.main}${end}`,
    path,
  ]);
  expect(existsSync(join(target, path, '.git', 'HEAD'))).toBe(true);
  return join(target, path);
}

function inside(directory: string, ...args: string[]): string {
  return execFileSync('git', ['-C', directory, ...args], { encoding: 'utf8' });
}
