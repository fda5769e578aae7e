import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { agentClone, type AgentClone } from '../../../../test/support/installs/agent-clone.ts';

describe('the work of an agent', () => {
  it('is taken over with all its branches, its stashes and its HEAD, and its branch is shown to the user', async () => {
    using place = await agentClone();
    place.agent(`echo a > a.txt; git add .; git commit --quiet -m a
      git checkout --quiet -b side; echo b > b.txt; git add .; git commit --quiet -m b
      echo c >> a.txt; git stash --quiet; git checkout --quiet --detach; git commit --quiet --allow-empty -m detached`);
    const look = await place.reader.look();
    await place.reader.takeOver(look);
    expect(place.git('log', '--format=%s', 'fleet/sony')).toBe('a\nfirst\n');
    expect(subjects(place)).toEqual(expect.arrayContaining(['a', 'b', 'detached', 'first']));
    expect(subjects(place).some((subject) => subject.startsWith('WIP on side'))).toBe(true);
    expect(place.git('for-each-ref', '--format=%(refname)').trim().split('\n')).toEqual([
      `refs/fleet/pins/${place.work.launch.workspace_id}`,
      'refs/heads/main',
      'refs/remotes/fleet/sony',
    ]);
    expect(place.git('fsck', '--strict')).toBe('');
  });

  it('is read by several at once', async () => {
    using place = await agentClone();
    const readers = Array.from({ length: 2 }, async () => {
      for (let round = 0; round < 15; round++) await place.reader.look();
    });
    expect(await Promise.all(readers)).toHaveLength(2);
  });

  it('is taken over again when it was rewritten, and what it was stays with its checkpoints', async () => {
    using place = await agentClone();
    place.agent('echo a > a.txt; git add .; git commit --quiet -m before');
    await step(place);
    place.agent(
      'git commit --quiet --amend -m after; git reflog expire --expire=now --all; git gc --quiet --prune=now',
    );
    await step(place);
    expect(place.git('log', '--format=%s', 'fleet/sony')).toBe('after\nfirst\n');
    expect(subjects(place)).toEqual(expect.arrayContaining(['before', 'after']));
    place.git('gc', '--quiet', '--prune=now');
    expect(fleetGit(place, 'fsck', '--strict', '--no-dangling')).toBe('');
  });

  it('has a checkpoint of tracked and untracked files after each task, in a chain', async () => {
    using place = await agentClone();
    const name = Buffer.from([0x61, 0xff, 0x0a, 0x22]);
    place.agent('echo one > file.txt; ln -s /etc/passwd link; echo x > run; chmod +x run');
    writeFileSync(Buffer.concat([Buffer.from(`${place.directory}/`), name]), 'odd\n');
    const first = await step(place);
    place.agent('rm other.txt; git add -A; git commit --quiet -m two; mkdir build; echo b > build/b');
    const second = await step(place);
    expect(
      fleetGit(place, 'rev-list', '--first-parent', '--count', second.commit, '--not', first.commit),
    ).toBe('1\n');
    expect(fleetGit(place, 'show', `${first.commit}:file.txt`)).toBe('one\n');
    expect(fleetGit(place, 'ls-tree', first.commit, 'link')).toMatch(/^120000/);
    expect(fleetGit(place, 'ls-tree', first.commit, 'run')).toMatch(/^100755/);
    expect(fleetGit(place, 'ls-tree', '--name-only', '-z', first.commit)).toContain('a\ufffd\n"');
    const names = fleetGit(place, 'ls-tree', '-r', '--name-only', second.commit);
    expect(names).not.toContain('other.txt');
    expect(names).not.toContain('build');
    expect(place.agent('git status --short')).toBe('');
  });

  it('has a checkpoint without files that are too large, which are named', async () => {
    using place = await agentClone();
    place.agent('truncate -s 50000001 large; echo n > n.txt');
    const { commit, left_out } = await step(place);
    expect(left_out).toEqual(['large']);
    expect(fleetGit(place, 'ls-tree', '--name-only', commit)).not.toContain('large');
    expect(fleetGit(place, 'show', `${commit}:n.txt`)).toBe('n\n');
    expect(fleetGit(place, 'log', '-1', '--format=%B', commit)).toContain('Left-Out: "large"');
  });

  it('comes with the files that Git LFS keeps beside it, checked by their hash', async () => {
    using place = await agentClone();
    const id = createHash('sha256').update('large\n').digest('hex');
    const stored = `lfs/objects/${id.slice(0, 2)}/${id.slice(2, 4)}`;
    const pointer = (oid: string): string =>
      `printf 'version https://git-lfs.github.com/spec/v1\\noid sha256:${oid}\\nsize 6\\n'`;
    place.agent(`mkdir -p .git/${stored}; echo large > .git/${stored}/${id}
      ${pointer(id)} > large.bin; git add .; git commit --quiet -m large`);
    await place.reader.takeOver(await place.reader.look());
    expect(readFileSync(join(place.repository, '.git', stored, id), 'utf8')).toBe('large\n');
    place.agent(`${pointer(id.replaceAll('a', 'b'))} > other.bin; git add .; git commit --quiet -m planted`);
    await expect(place.reader.takeOver(await place.reader.look())).rejects.toThrow('Git LFS');
    expect(place.git('log', '-1', '--format=%s', 'fleet/sony')).toBe('large\n');
  });

  it('costs nothing when nothing is new', async () => {
    using place = await agentClone();
    place.agent('echo a > a.txt; git add .; git commit --quiet -m a');
    await place.reader.takeOver(await place.reader.look());
    const packs = readdirSync(join(fleetRepository(place), 'objects', 'pack'));
    await place.reader.takeOver(await place.reader.look());
    expect(readdirSync(join(fleetRepository(place), 'objects', 'pack'))).toEqual(packs);
  });
});

/** A commit whose tree has one entry of any mode and name. */
function plant(place: AgentClone, mode: string, name: string): void {
  const git = (args: readonly string[], input = Buffer.alloc(0)): string =>
    execFileSync('git', ['-C', place.directory, ...IDENTITY, ...args], { input, encoding: 'utf8' }).trim();
  const object = git(['rev-parse', mode === '40000' ? 'HEAD^{tree}' : 'HEAD:file.txt']);
  const entry = Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(object, 'hex')]);
  const tree = git(['hash-object', '--literally', '-w', '-t', 'tree', '--stdin'], entry);
  git(['update-ref', 'HEAD', git(['commit-tree', '-p', 'HEAD', '-m', 'planted', tree])]);
}

const IDENTITY = ['-c', 'user.name=A', '-c', 'user.email=a@localhost'];

describe('work that is refused', () => {
  it.each([
    ['a directory .git', '40000', '.git'],
    ['a file .GIT', '100644', '.GIT'],
    ['a file git~1', '100644', 'git~1'],
    ['a way out', '40000', '..'],
    ['a link .gitmodules', '120000', '.gitmodules'],
    ['a link .gitattributes', '120000', '.gitattributes'],
    ['a link .gitignore', '120000', '.gitignore'],
  ])('has %s', async (_, mode, name) => {
    using place = await agentClone();
    plant(place, mode, name);
    await expectRefused(place);
  });

  it.each([
    [
      'a submodule whose address is an option',
      `printf '[submodule "x"]\\n\\tpath = x\\n\\turl = --upload-pack=x\\n' > .gitmodules; git add .; git commit --quiet -m planted`,
    ],
    [
      'a submodule whose name leads out',
      `printf '[submodule "../../x"]\\n\\tpath = x\\n\\turl = https://x.example\\n' > .gitmodules; git add .; git commit --quiet -m planted`,
    ],
    [
      'a commit whose tree is missing',
      'echo a > a.txt; git add .; git commit --quiet -m planted; t=$(git rev-parse HEAD^{tree}); rm -f .git/objects/$(echo $t | cut -c1-2)/$(echo $t | cut -c3-)',
    ],
  ])('has %s', async (_, script) => {
    using place = await agentClone();
    place.agent(script);
    await expectRefused(place);
  });

  it('is not that of old tools: a mode with a zero before it, a time zone that is none', async () => {
    using place = await agentClone();
    plant(place, '0100644', 'file.txt');
    place.agent(
      `git cat-file commit HEAD | sed 's/+0000/+051800/' > c; git update-ref HEAD $(git hash-object --literally -w -t commit --stdin < c); rm c`,
    );
    await place.reader.takeOver(await place.reader.look());
    expect(place.git('rev-parse', 'fleet/sony')).toBe(place.agent('git rev-parse HEAD'));
    expect(place.git('log', '-1', '--format=%s', 'fleet/sony')).toBe('planted\n');
  });
});

async function expectRefused(place: AgentClone): Promise<void> {
  const taking = async (): Promise<void> => place.reader.takeOver(await place.reader.look());
  await expect(taking()).rejects.toThrow(/git refused it|not whole|cannot be read/);
  expect(place.git('log', '--format=%s', 'fleet/sony')).toBe('first\n');
  expect(subjects(place)).not.toContain('planted');
}

async function step(place: AgentClone) {
  const look = await place.reader.look();
  await place.reader.takeOver(look);
  return place.reader.checkpoint('a task', look);
}

function fleetRepository({ home }: AgentClone): string {
  const [only = ''] = readdirSync(join(home, 'repositories'));
  return join(home, 'repositories', only);
}

function fleetGit(place: AgentClone, ...args: string[]): string {
  return execFileSync('git', ['-C', fleetRepository(place), ...args], { encoding: 'utf8', stdio: 'pipe' });
}

/** Of all commits that Fleet's own repository leads to. */
function subjects(place: AgentClone): readonly string[] {
  return fleetGit(place, 'log', '--all', '--format=%s').split('\n');
}
