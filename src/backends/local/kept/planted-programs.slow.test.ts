import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { agentClone, type AgentClone } from '../../../../test/support/installs/agent-clone.ts';
import { containmentLevel } from '../../../platform/processes/containment.ts';
import { keepWork } from './keep-work.ts';
import { deleteKept, listKept } from './kept-branches.ts';
import { withdraw } from './withdraw.ts';

interface Trap {
  readonly what: string;
  /** What the agent does, with the program in $TRAP and its git directory in $COMMON. */
  readonly plant: string;
  /** What makes plain git run it. */
  readonly fires: string;
}

const MISSING = '1234567812345678123456781234567812345678';
const ATTRIBUTES =
  'echo "* filter=evil diff=evil merge=evil" > "$COMMON/info/attributes"; cp "$COMMON/info/attributes" .gitattributes';
const HASH = 'git hash-object --path=file.txt file.txt || true';
const SUBMODULE = `git -C "$HOME" init --quiet sub; git -C "$HOME/sub" commit --quiet --allow-empty -m s
  git -c protocol.file.allow=always submodule --quiet add "$HOME/sub" sub; git commit --quiet -m sub; echo x > sub/x`;

const TRAPS: readonly Trap[] = [
  {
    what: 'hooks',
    plant: `for hook in post-checkout post-index-change reference-transaction pre-commit post-commit pre-auto-gc post-rewrite; do
      mkdir -p "$COMMON/hooks"; cp "$TRAP" "$COMMON/hooks/$hook"; done`,
    fires: 'git checkout --quiet --detach',
  },
  {
    what: 'hooks elsewhere',
    plant:
      'mkdir "$HOME/hooks"; cp "$TRAP" "$HOME/hooks/reference-transaction"; git config core.hooksPath "$HOME/hooks"',
    fires: 'git update-ref refs/heads/fires HEAD',
  },
  {
    what: 'hooks of the worktree',
    plant: `git config extensions.worktreeConfig true; mkdir "$HOME/hooks"; cp "$TRAP" "$HOME/hooks/post-index-change"
      git config --worktree core.hooksPath "$HOME/hooks"`,
    fires: 'git update-index --force-write-index || git reset --quiet',
  },
  { what: 'fsmonitor', plant: 'git config core.fsmonitor "$TRAP"', fires: 'git status' },
  {
    what: 'fsmonitor of the worktree',
    plant: 'git config extensions.worktreeConfig true; git config --worktree core.fsmonitor "$TRAP"',
    fires: 'git status',
  },
  { what: 'fsmonitor of the user', plant: 'git config --global core.fsmonitor "$TRAP"', fires: 'git status' },
  {
    what: 'an included configuration',
    plant: 'git config --file "$HOME/more" core.fsmonitor "$TRAP"; git config include.path "$HOME/more"',
    fires: 'git status',
  },
  {
    what: 'a configuration that is included on a condition',
    plant:
      'git config --file "$HOME/more" core.fsmonitor "$TRAP"; git config "includeIf.onbranch:**.path" "$HOME/more"',
    fires: 'git status',
  },
  {
    what: 'a filter for what is written',
    plant: `git config filter.evil.smudge "$TRAP"; ${ATTRIBUTES}`,
    fires: 'git cat-file --filters HEAD:file.txt',
  },
  {
    what: 'a filter for what is read',
    plant: `git config filter.evil.clean "$TRAP"; git config filter.evil.required true; ${ATTRIBUTES}`,
    fires: HASH,
  },
  {
    what: 'a filter that goes on running',
    plant: `git config filter.evil.process "$TRAP"; ${ATTRIBUTES}`,
    fires: HASH,
  },
  {
    what: 'a filter with an equals sign in its name',
    plant: `git config --file "$COMMON/config" "filter.a=b.smudge" "$TRAP"; echo "* filter=a=b" > "$COMMON/info/attributes"`,
    fires: 'git cat-file --filters HEAD:file.txt',
  },
  { what: 'an external diff', plant: 'git config diff.external "$TRAP"', fires: 'git diff' },
  { what: 'a diff driver', plant: `git config diff.evil.command "$TRAP"; ${ATTRIBUTES}`, fires: 'git diff' },
  {
    what: 'a text conversion',
    plant: `git config diff.evil.textconv "$TRAP"; ${ATTRIBUTES}`,
    fires: 'git diff',
  },
  {
    what: 'a merge driver',
    plant: `git config merge.evil.driver "$TRAP"; ${ATTRIBUTES}; git checkout --quiet -b side; echo side > file.txt; git commit --quiet -am side
      git checkout --quiet fleet/sony; echo mine > file.txt; git commit --quiet -am mine`,
    fires: 'git reset --quiet --hard; git merge --quiet side || git merge --abort',
  },
  {
    what: 'a credential helper',
    plant: 'git config credential.helper "$TRAP"; git config credential.https://x.invalid.helper "$TRAP"',
    fires: 'printf "url=https://x.invalid\\n\\n" | GIT_TERMINAL_PROMPT=0 git credential fill || true',
  },
  {
    what: 'a program that asks for passwords',
    plant: 'git config core.askPass "$TRAP"',
    fires: 'printf "url=https://x.invalid\\n\\n" | GIT_TERMINAL_PROMPT=0 git credential fill || true',
  },
  {
    what: 'aliases',
    plant:
      'for name in evil status config rev-parse worktree update-ref branch log; do git config "alias.$name" "!$TRAP"; done',
    fires: 'git evil',
  },
  {
    what: 'ssh',
    plant: 'git config core.sshCommand "$TRAP"',
    fires: 'git ls-remote ssh://x.invalid/x || true',
  },
  {
    what: 'an editor',
    plant: 'git config core.editor "$TRAP"; git config sequence.editor "$TRAP"',
    fires: 'git commit --allow-empty || true',
  },
  {
    what: 'a pager',
    plant:
      'git config core.pager "$TRAP"; for name in log diff branch for-each-ref; do git config "pager.$name" true; done',
    fires: 'GIT_PAGER_IN_USE=1 "$TRAP"',
  },
  {
    what: 'a program for signatures',
    plant:
      'git config gpg.program "$TRAP"; git config commit.gpgSign true; git config log.showSignature true; git commit --quiet --allow-empty -m signed; git checkout --quiet --detach main; rm "$MARK"',
    fires: 'git log -1 fleet/sony',
  },
  {
    what: 'a hook for packs',
    plant: 'git config --global uploadpack.packObjectsHook "$TRAP"',
    fires: 'git clone --quiet --no-local . "$HOME/clone" || true',
  },
  {
    what: 'a remote that objects are fetched from by a program',
    plant: `git config core.repositoryFormatVersion 1; git config extensions.partialClone evil; git config remote.evil.promisor true
      git config remote.evil.url "ext::$TRAP fetch"; git config protocol.ext.allow always; echo ${MISSING} > "$(git rev-parse --git-dir)/MERGE_HEAD"`,
    fires: `git cat-file -e ${MISSING} || true`,
  },
  {
    what: 'a remote that is on this machine with a program of its own',
    plant: `git config core.repositoryFormatVersion 1; git config extensions.partialClone evil; git config remote.evil.promisor true
      git config remote.evil.url "$HOME"; git config remote.evil.uploadpack "$TRAP"; git config protocol.file.allow always
      echo ${MISSING} > "$(git rev-parse --git-dir)/CHERRY_PICK_HEAD"`,
    fires: `git cat-file -e ${MISSING} || true`,
  },
  {
    what: 'an update command of a submodule',
    plant: `${SUBMODULE}; git config submodule.sub.update '!'"$TRAP"; git -C sub commit --quiet --allow-empty -m more`,
    fires: 'git submodule --quiet update || true',
  },
  {
    what: 'a configuration inside a submodule',
    plant: `${SUBMODULE}; git -C sub config core.fsmonitor "$TRAP"`,
    fires: 'git status',
  },
  {
    what: 'a filter inside a submodule',
    plant: `${SUBMODULE}; git -C sub config filter.evil.clean "$TRAP"; echo "* filter=evil" > sub/.gitattributes; git -C sub add -N x`,
    fires: 'git -C sub hash-object --path=x x',
  },
  {
    what: 'a configuration of a repository inside',
    plant: `git init --quiet in; git -C in commit --quiet --allow-empty -m in; echo x > in/x; git -C in add x; echo y > in/x
      git -C in config core.fsmonitor "$TRAP"; git -C in config filter.evil.clean "$TRAP"; echo "* filter=evil" > in/.gitattributes`,
    fires: 'git -C in status',
  },
];

afterEach(() => vi.unstubAllEnvs());

const sandboxed = containmentLevel().level === 'namespace';

describe.skipIf(!sandboxed)('what an agent planted in its repository does nothing outside', () => {
  it.each(TRAPS.map((each) => [each.what, each] as const))('%s', async (_, { plant, fires }) => {
    using place = await agentClone();
    const { mark, run } = trapIn(place);
    run('echo work > file.txt; echo c > c.txt; git add c.txt; git commit --quiet -m c');
    run(plant);
    run('echo changed >> file.txt');
    run(fires);
    run('echo more >> file.txt');
    expect(existsSync(mark), 'plain git runs it').toBe(true);
    rmSync(mark);
    await drive(place);
    expect(existsSync(mark) ? readFileSync(mark, 'utf8') : '').toBe('');
  });

  it('what is in the environment of the process that starts it', async () => {
    using place = await agentClone();
    const { mark, trap, run } = trapIn(place);
    run('echo work > file.txt');
    const nowhere = join(place.root, 'nowhere');
    const variables = {
      GIT_DIR: nowhere,
      GIT_COMMON_DIR: nowhere,
      GIT_WORK_TREE: nowhere,
      GIT_INDEX_FILE: nowhere,
      GIT_OBJECT_DIRECTORY: nowhere,
      GIT_EXEC_PATH: nowhere,
      GIT_NAMESPACE: 'nowhere',
      GIT_CEILING_DIRECTORIES: place.root,
      GIT_CONFIG: nowhere,
      GIT_CONFIG_GLOBAL: nowhere,
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'core.fsmonitor',
      GIT_CONFIG_VALUE_0: trap,
      GIT_CONFIG_PARAMETERS: `'core.fsmonitor'='${trap}'`,
      GIT_EXTERNAL_DIFF: trap,
      GIT_SSH_COMMAND: trap,
      GIT_EDITOR: trap,
      GIT_PAGER: trap,
      GIT_ASKPASS: trap,
      GIT_TRACE: mark,
      GIT_TRACE2: mark,
      GIT_LITERAL_PATHSPECS: '1',
      GIT_DEFAULT_HASH: 'sha256',
    };
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
    await drive(place);
    expect(existsSync(mark)).toBe(false);
  });
});

/** What Fleet does with an agent's repository, to the end of what was kept of it. */
async function drive({ repository, work, reader, kept }: AgentClone): Promise<void> {
  const look = await reader.look();
  expect(look.status).not.toBe('');
  await reader.takeOver(look);
  await reader.checkpoint('a task', look);
  expect(await keepWork(work)).toMatchObject({ branches: [kept] });
  await withdraw(work, false);
  const [only] = await listKept(repository);
  if (only === undefined) throw new Error('nothing was kept');
  expect(await deleteKept(only)).toBeUndefined();
}

interface Trapped {
  readonly trap: string;
  readonly mark: string;
  run(script: string): void;
}

/** A program in the workspace that leaves a mark outside. It passes on what it reads, and makes what looks like a signature. */
function trapIn(place: AgentClone): Trapped {
  const mark = join(place.root, 'mark');
  const trap = join(place.directory, 'build', 'trap');
  mkdirSync(join(place.directory, 'build'));
  writeFileSync(
    trap,
    `#!/bin/sh
echo "$0 $*" >> '${mark}'
case "$*" in *--status-fd=2*)
  cat > /dev/null; printf '\\n[GNUPG:] SIG_CREATED \\n' >&2; printf -- '-----BEGIN PGP SIGNATURE-----\\n\\nx\\n-----END PGP SIGNATURE-----\\n'; exit;;
esac
[ $# -gt 0 ] || cat\n`,
  );
  chmodSync(trap, 0o755);
  const COMMON = join(place.directory, '.git');
  return { trap, mark, run: (script) => void place.agent(script, { TRAP: trap, MARK: mark, COMMON }) };
}
