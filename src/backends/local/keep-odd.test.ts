import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { agentWorktree } from '../../../test/support/agent-worktree.ts';
import { keepWork } from './keep-work.ts';
import { removeWorktree } from './remove-worktree.ts';

describe('odd files', () => {
  const NAMES = ['new\nline', `quo"te's`, '-rf', '--all', ' leading', 'tab\there', ':(glob)*', '*', 'é'];
  it('are kept under names with any byte', async () => {
    using place = agentWorktree();
    const bytes = Buffer.from([0x62, 0xff, 0xfe, 0x2e, 0x74]);
    for (const name of [...NAMES.map((each) => Buffer.from(each)), bytes])
      writeFileSync(Buffer.concat([Buffer.from(`${place.directory}/`), name]), 'odd\n');
    await place.delete();
    const listed = execFileSync('git', ['-C', place.repository, 'ls-tree', '-z', '--name-only', place.main]);
    const names = listed.toString('latin1').split('\0');
    expect(names).toEqual(
      expect.arrayContaining(
        [...NAMES.map((each) => Buffer.from(each)), bytes].map((each) => each.toString('latin1')),
      ),
    );
  });

  it('are kept as links and programs, and a link is not followed', async () => {
    using place = agentWorktree();
    mkdirSync(join(place.root, 'away'));
    writeFileSync(join(place.root, 'away', 'secret'), 'secret');
    symlinkSync(join(place.root, 'away'), join(place.directory, 'link'));
    symlinkSync('nowhere', join(place.directory, 'dangling'));
    writeFileSync(join(place.directory, 'run'), '#!/bin/sh\n', { mode: 0o755 });
    execFileSync('mkfifo', [join(place.directory, 'pipe')]);
    await place.delete();
    const modes = place
      .git('ls-tree', place.main)
      .split('\n')
      .map((line) => line.replace(/ .*\t/, ' '));
    expect(modes).toEqual(expect.arrayContaining(['120000 link', '120000 dangling', '100755 run']));
    expect(place.names('')).not.toContain('pipe');
    expect(readFileSync(join(place.root, 'away', 'secret'), 'utf8')).toBe('secret');
  });

  it('are kept when one is very large', async () => {
    using place = agentWorktree();
    const size = 1024 ** 3 + 1;
    writeFileSync(join(place.directory, 'large'), '');
    truncateSync(join(place.directory, 'large'), size);
    await place.delete();
    expect(place.git('cat-file', '-s', `${place.main}:large`).trim()).toBe(String(size));
  }, 300_000);

  it('are kept in a repository of the other hash', async () => {
    using place = agentWorktree({ format: 'sha256' });
    place.agent(
      'echo c > c.txt; git add .; git commit --quiet -m c; echo s > file.txt; git add .; echo t > file.txt; mkdir in; git -C in init --quiet --object-format=sha256; echo i > in/i',
    );
    expect((await place.delete()).ends).toEqual(['', '-index', '-nested']);
    expect(place.show('', 'file.txt')).toBe('t\n');
    expect(place.show('-nested', 'in/i')).toBe('i\n');
  });

  it.skipIf(process.getuid?.() !== 0)(
    'that cannot be read keep the agent from being deleted (needs root to be another user)',
    async () => {
      using place = agentWorktree();
      place.agent('echo s > secret; chmod 000 secret; mkdir closed; echo c > closed/c; chmod 000 closed');
      execFileSync('chown', ['-R', '65534:65534', place.root]);
      const before = refsOf(place.git);
      for (const what of ['closed', 'secret']) {
        const said = asNobody(place.work);
        expect(said).toContain('work_not_kept');
        expect(said).toContain(what);
        expect(refsOf(place.git)).toBe(before);
        execFileSync('chmod', ['700', join(place.directory, what)]);
      }
      expect(asNobody(place.work)).toContain(place.main);
      expect(place.git('-c', 'safe.directory=*', 'show', `${place.main}:closed/c`)).toBe('c\n');
    },
  );

  it.skipIf(process.getuid?.() !== 0)(
    'that belong to another user are kept (needs root to give them away)',
    async () => {
      using place = agentWorktree();
      place.agent('echo n > n.txt');
      execFileSync('chown', ['-R', '65534:65534', place.root]);
      await place.delete();
      expect(place.git('-c', 'safe.directory=*', 'show', `${place.main}:n.txt`)).toBe('n\n');
    },
  );
});

describe('a worktree', () => {
  it('that is gone leaves its commits and what was staged', async () => {
    using place = agentWorktree();
    place.agent('echo c > c.txt; git add .; git commit --quiet -m c; echo s > s.txt; git add .');
    rmSync(place.directory, { recursive: true });
    expect((await place.delete()).ends).toEqual(['']);
    expect(place.show('', 's.txt')).toBe('s\n');
    expect(place.show('', 'c.txt')).toBe('c\n');
  });

  it('that was moved by git is left where it is, and the answer says where', async () => {
    using place = agentWorktree();
    place.agent('echo c > c.txt; git add .; git commit --quiet -m c; echo n > n.txt');
    const elsewhere = join(place.root, 'elsewhere');
    place.git('worktree', 'move', place.directory, elsewhere);
    const { ends, notes } = await place.delete();
    expect(ends).toEqual(['']);
    expect(notes).toEqual([expect.stringContaining(elsewhere)]);
    expect(place.show('', 'c.txt')).toBe('c\n');
    expect(readFileSync(join(elsewhere, 'n.txt'), 'utf8')).toBe('n\n');
    expect(execFileSync('git', ['-C', elsewhere, 'status', '--porcelain'], { encoding: 'utf8' })).toBe(
      '?? n.txt\n',
    );
  });

  it('that was moved by hand is left where it is, and its commits are kept', async () => {
    using place = agentWorktree();
    place.agent('echo c > c.txt; git add .; git commit --quiet -m c; echo n > n.txt');
    const elsewhere = join(place.root, 'elsewhere');
    renameSync(place.directory, elsewhere);
    expect((await place.delete()).ends).toEqual(['']);
    expect(place.show('', 'c.txt')).toBe('c\n');
    expect(readFileSync(join(elsewhere, 'n.txt'), 'utf8')).toBe('n\n');
  });

  it('whose notes point at the files of somebody else removes none of them', async () => {
    using place = agentWorktree();
    const theirs = join(place.root, 'theirs');
    mkdirSync(theirs);
    writeFileSync(join(theirs, 'file'), 'theirs');
    place.agent(
      `git_dir=$(git rev-parse --absolute-git-dir); echo "${theirs}/.git" > "$git_dir/gitdir"; echo "gitdir: $git_dir" > "${theirs}/.git"; echo n > n.txt`,
    );
    await place.delete();
    expect(readFileSync(join(theirs, 'file'), 'utf8')).toBe('theirs');
    expect(place.show('', 'n.txt')).toBe('n\n');
  });

  it('that became a link removes the link alone', async () => {
    using place = agentWorktree();
    const theirs = join(place.root, 'theirs');
    mkdirSync(theirs);
    writeFileSync(join(theirs, 'file'), 'theirs');
    rmSync(place.directory, { recursive: true });
    symlinkSync(theirs, place.directory);
    await place.delete();
    expect(readFileSync(join(theirs, 'file'), 'utf8')).toBe('theirs');
    expect(lstatSync(place.directory, { throwIfNoEntry: false })).toBeUndefined();
  });

  it('whose .git leads to another repository is kept in its own', async () => {
    using place = agentWorktree();
    const other = join(place.root, 'other');
    execFileSync('git', ['init', '--quiet', other]);
    place.agent(`echo "gitdir: ${other}/.git" > .git; echo n > n.txt`);
    await place.delete();
    expect(place.show('', 'n.txt')).toBe('n\n');
    expect(readdirSync(join(other, '.git', 'objects')).toSorted()).toEqual(['info', 'pack']);
  });

  it('of somebody else that is only away is not forgotten', async () => {
    using place = agentWorktree();
    const away = join(place.root, 'away');
    place.git('worktree', 'add', '--quiet', '--detach', away);
    renameSync(away, `${away}-for-now`);
    await place.delete();
    renameSync(`${away}-for-now`, away);
    expect(execFileSync('git', ['-C', away, 'status', '--porcelain'], { encoding: 'utf8' })).toBe('');
  });

  it.skipIf(process.getuid?.() !== 0)(
    'with directories that nothing can be removed from is removed (needs root to be another user)',
    () => {
      using place = agentWorktree();
      place.agent('mkdir -p build/m; echo m > build/m/m; chmod 555 build/m build');
      execFileSync('chown', ['-R', '65534:65534', place.root]);
      asNobody(place.work, 'removeWorktree');
      expect(existsSync(place.directory)).toBe(false);
    },
  );
});

describe('keeping', () => {
  it('is done once: what is half removed is not kept over it', async () => {
    using place = agentWorktree();
    place.agent('echo a > a.txt; echo b > b.txt');
    const first = await keepWork(place.work);
    rmSync(join(place.directory, 'a.txt'));
    rmSync(join(place.directory, 'file.txt'));
    expect(await keepWork(place.work)).toEqual(first);
    await removeWorktree(place.work);
    await removeWorktree(place.work);
    expect(place.show('', 'a.txt')).toBe('a\n');
  });

  it('that was cut off before it was noted makes the same branches', async () => {
    using place = agentWorktree();
    place.agent('echo s > file.txt; git add .; echo t > file.txt');
    const first = await keepWork(place.work);
    rmSync(join(place.work.scratch, 'kept.done'));
    mkdirSync(join(place.work.scratch, 'git-left'));
    expect(await keepWork(place.work)).toEqual(first);
    expect(place.git('for-each-ref', 'refs/heads/fleet-kept').trim().split('\n')).toHaveLength(2);
    expect(readdirSync(place.work.scratch)).toEqual(['kept.done']);
  });

  it('never moves a branch that is there', async () => {
    using place = agentWorktree();
    place.agent(`git branch ${place.main}; echo n > n.txt`);
    const { ends } = await place.delete();
    expect(ends).toEqual(['-again-1']);
    expect(place.git('rev-parse', place.main)).toBe(place.git('rev-parse', 'main'));
    expect(place.show('-again-1', 'n.txt')).toBe('n\n');
  });

  it('fails and changes nothing when a branch is in the way of its branches', async () => {
    using place = agentWorktree();
    place.agent('git branch fleet-kept; echo s > file.txt; git add .; echo t > file.txt');
    const before = refsOf(place.git);
    await expect(keepWork(place.work)).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: expect.stringContaining("'refs/heads/fleet-kept' exists") as string,
      details: { reason: 'work_not_kept' },
    });
    expect(refsOf(place.git)).toBe(before);
    expect(readFileSync(join(place.directory, 'file.txt'), 'utf8')).toBe('t\n');
  });

  it('leaves the stashes of others, and the list of all', async () => {
    using place = agentWorktree();
    writeFileSync(join(place.repository, 'file.txt'), 'of a person\n');
    place.git('stash');
    place.agent(
      'echo mine > file.txt; git stash --quiet; git checkout --quiet --detach; echo c > c.txt; git add .; git commit --quiet -m c; echo none > file.txt; git stash --quiet',
    );
    const before = place.git('stash', 'list');
    expect((await place.delete()).ends).toEqual(['', '-stash', '-stash-2']);
    expect(place.git('stash', 'list')).toBe(before);
    expect(place.show('-stash', 'file.txt')).toBe('none\n');
    expect(place.show('-stash-2', 'file.txt')).toBe('mine\n');
  });

  it('does not take the branch of another agent for a safe place', async () => {
    using place = agentWorktree();
    place.agent('echo c > c.txt; git add .; git commit --quiet -m c; git branch fleet/other');
    expect((await place.delete()).ends).toEqual(['']);
  });

  it('is not misled by replaced commits', async () => {
    using place = agentWorktree();
    place.agent(`echo c > c.txt; git add .; git commit --quiet -m c
      fake=$(git commit-tree -m fake -p HEAD 'HEAD^{tree}'); git replace -f main $fake`);
    expect((await place.delete()).ends).toEqual(['']);
  });

  it('is not misled by what the configuration says of where the files are', async () => {
    using place = agentWorktree();
    place.agent(
      'echo n > n.txt; git config --file "$(git rev-parse --git-common-dir)/config" core.worktree /nowhere',
    );
    expect((await place.delete()).ends).toEqual(['']);
    expect(place.git('--work-tree=.', 'show', `${place.main}:n.txt`)).toBe('n\n');
  });

  it('says what the agent hid and was too large', async () => {
    using place = agentWorktree();
    place.agent('echo huge/ >> .gitignore; mkdir huge; touch huge/file');
    truncateSync(join(place.directory, 'huge', 'file'), 100 * 1024 ** 2);
    const { ends, notes } = await place.delete();
    expect(ends).toEqual(['']);
    expect(notes).toEqual([expect.stringContaining('huge/')]);
  });

  it('has the message of a commit that was cut off', async () => {
    using place = agentWorktree();
    place.agent(
      'echo c > c.txt; d=$(git rev-parse --git-dir); touch "$d/index.lock"; printf "half a thought\\n# hint\\n" > "$d/COMMIT_EDITMSG"',
    );
    await place.delete();
    expect(place.git('log', '-1', '--format=%B', place.main)).toContain(
      'half a thought\n\nWork of agent sony',
    );
  });
});

function refsOf(git: (...args: string[]) => string): string {
  return git('-c', 'safe.directory=*', 'for-each-ref');
}

/** Keeps as a user who may not read everything; what it returned, or the error. */
function asNobody(work: unknown, what = 'keepWork'): string {
  const file = what === 'keepWork' ? 'keep-work' : 'remove-worktree';
  const script = `process.setgid(65534); process.setuid(65534);
    const { ${what} } = await import(${JSON.stringify(new URL(`./${file}.ts`, import.meta.url).href)});
    console.log(JSON.stringify(await ${what}(${JSON.stringify(work)}).catch((error) => [error.message, error.details, String(error.stack)])));`;
  return execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: '/nonexistent' },
  });
}
