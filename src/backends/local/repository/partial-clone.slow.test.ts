import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { agentClone, type AgentClone } from '../../../../test/support/installs/agent-clone.ts';
import { packRepositories } from './pack-repositories.ts';

/** Makes the project's repository a clone of what it was, which fetches objects when they are needed. */
const partial = (more = '', options = ''): string => `
  mkdir -p here there; echo old > here/file; echo old > there/file; echo t > there/other; git add .
  git commit --quiet -m old; echo new > there/file; echo new > here/file; git add .; git commit --quiet -m new
  ${more}
  git config uploadpack.allowFilter true; git config uploadpack.allowAnySHA1InWant true
  cd ..; mv repository origin
  git clone --quiet --filter=blob:none ${options} "file://$PWD/origin" repository`;

const SPARSE = '--sparse';

describe('a project that is a partial clone', () => {
  it('gets the commits, the checkpoints and the kept work of its agents', async () => {
    using place = await agentClone({ before: partial() });
    const before = missing(place);
    expect(before).not.toEqual([]);
    place.agent('echo a > here/a; git add .; git commit --quiet -m a; echo loose > loose');
    const { commit } = await step(place);
    expect(place.git('log', '--format=%s', 'fleet/sony')).toBe('a\nnew\nold\nfirst\n');
    expect(place.git('show', 'fleet/sony:here/a')).toBe('a\n');
    expect(fleetGit(place, 'show', `${commit}:loose`)).toBe('loose\n');
    expect(await place.delete()).toEqual({ branches: [place.kept], notes: [] });
    expect(place.git('show', `${place.kept}:loose`)).toBe('loose\n');
    // Nothing was fetched for it.
    expect(missing(place)).toEqual(before);
    await expectSound(place);
  });

  it('may have a sparse checkout: neighbours that were never fetched stay where they are', async () => {
    using place = await agentClone({ before: partial('', SPARSE) });
    expect(existsSync(join(place.directory, 'there'))).toBe(false);
    const before = missing(place);
    place.agent(
      'echo n > file.txt; mkdir there; echo m > there/more; git add --sparse .; git commit --quiet -m a',
    );
    place.agent('echo u > there/unknown');
    const { commit } = await step(place);
    expect(place.git('diff', '--name-only', 'main', 'fleet/sony')).toBe('file.txt\nthere/more\n');
    expect(fleetGit(place, 'ls-tree', '--name-only', `${commit}:there`)).toBe('file\nmore\nother\nunknown\n');
    expect(await place.delete()).toEqual({ branches: [place.kept], notes: [] });
    expect(missing(place)).toEqual(before);
    await expectSound(place);
    // From the remote, as for any commit of a partial clone.
    expect(place.git('show', `${place.kept}:there/file`)).toBe('new\n');
  });

  it('gets work on commits that the agent fetched, and on files of old commits that it never read', async () => {
    using place = await agentClone({ before: partial('', SPARSE) });
    place.agent('git read-tree HEAD~1; git commit --quiet -m reverted');
    originSh(place, 'for n in 1 2 3; do echo $n > there/file; git commit --quiet -am up$n; done');
    place.agent(
      'git reset --quiet --hard; git fetch --quiet origin; git merge --quiet -m merged -s ours origin/main',
    );
    await step(place);
    expect(place.git('log', '--format=%s', '--first-parent', '-2', 'fleet/sony')).toBe('merged\nreverted\n');
    await expectSound(place);
    expect(await place.delete()).toMatchObject({ notes: [] });
    expect(place.git('show', `${place.kept}^2:there/file`)).toBe('3\n');
    await expectSound(place);
  });

  it.each([
    [
      'a link .gitignore',
      'rm .gitignore; ln -s /etc/passwd .gitignore; git add .; git commit --quiet -m planted',
    ],
    ['a link .gitattributes', 'ln -s /etc/passwd .gitattributes; git add .; git commit --quiet -m planted'],
    [
      'a directory .GIT',
      `t=$(printf '040000 tree %s\\t.GIT\\n' $(git rev-parse HEAD^{tree}) | git mktree)
       git update-ref HEAD $(git commit-tree -p HEAD -m planted $t)`,
    ],
    [
      'a submodule whose address is an option',
      `printf '[submodule "x"]\\n\\tpath = x\\n\\turl = --upload-pack=x\\n' > .gitmodules; git add .; git commit --quiet -m planted`,
    ],
    [
      'a file .gitmodules that was never fetched',
      `t=$({ git ls-tree HEAD; printf '100644 blob %s\\t.gitmodules\\n' $(git rev-parse HEAD:there/file); } | git mktree --missing)
       git update-ref HEAD $(git commit-tree -p HEAD -m planted $t)`,
    ],
    [
      'a commit whose tree is missing',
      'echo a > a.txt; git add .; git commit --quiet -m planted; t=$(git rev-parse HEAD^{tree}); rm -f .git/objects/$(echo $t | cut -c1-2)/$(echo $t | cut -c3-)',
    ],
    [
      'a file of its own that is missing',
      'echo a > a.txt; git add .; git commit --quiet -m planted; b=$(git rev-parse HEAD:a.txt); rm -f .git/objects/$(echo $b | cut -c1-2)/$(echo $b | cut -c3-)',
    ],
  ])('does not get %s', async (_, script) => {
    using place = await agentClone({ before: partial('', SPARSE) });
    place.agent(script);
    const taking = async (): Promise<void> => place.reader.takeOver(await place.reader.look());
    await expect(taking()).rejects.toThrow(/git refused it|not whole|cannot be (read|checked)/);
    expect(place.git('log', '-1', '--format=%s', 'fleet/sony')).toBe('new\n');
  });
});

async function step(place: AgentClone) {
  const look = await place.reader.look();
  await place.reader.takeOver(look);
  return place.reader.checkpoint('a task', look);
}

/** Git can still pack the project's repository, and Fleet its own. */
async function expectSound(place: AgentClone): Promise<void> {
  place.git('fsck', '--strict', '--no-dangling');
  place.git('gc', '--quiet', '--prune=now');
  expect(await packRepositories(place.home)).toEqual([]);
}

/** Objects that the project's repository does not have. */
function missing(place: AgentClone): readonly string[] {
  return place
    .git('rev-list', '--objects', '--missing=print', 'main')
    .split('\n')
    .filter((line) => line.startsWith('?'))
    .toSorted();
}

function originSh({ root }: AgentClone, script: string): void {
  const identity = ['-c', 'user.name=A', '-c', 'user.email=a@localhost'];
  execFileSync('sh', ['-ec', `git() { command git ${identity.join(' ')} "$@"; }; ${script}`], {
    cwd: join(root, 'origin'),
  });
}

function fleetGit({ home }: AgentClone, ...args: string[]): string {
  const [only = ''] = readdirSync(join(home, 'repositories'));
  return execFileSync('git', ['-C', join(home, 'repositories', only), ...args], { encoding: 'utf8' });
}
