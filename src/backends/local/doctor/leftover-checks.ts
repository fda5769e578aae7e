import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { git } from '../../git/git.ts';
import { PINS } from '../lender/pin.ts';
import { isSound } from '../../../platform/database/is-sound.ts';
import { runtimeDirectory } from '../../../platform/socket-path.ts';
import type { Check } from '../../../domain/check.ts';
import { entriesOf } from '../../../platform/files-under.ts';
import { damagedFiles } from './storage-checks.ts';
import { knownAgents, type KnownAgent } from './known-agents.ts';

const SHOWN = 5;
const SHOWN_AS = 'refs/remotes/fleet';

/** Files that belong to no agent. They are not removed: they may hold work. */
export async function leftoverChecks(
  home: string,
  repositories: readonly string[],
): Promise<readonly Check[]> {
  const store = join(home, 'store.db');
  return [
    ...(existsSync(store) && isSound(store, 'store_corrupt') ? await withoutAgent(home, repositories) : []),
    ...leftover('sockets', await deadSockets(), 'no process listens on them: remove them'),
    ...leftover(
      'damaged files',
      damagedFiles(home),
      'damaged files that were set aside: remove them if you do not need them',
    ),
  ];
}

async function withoutAgent(home: string, repositories: readonly string[]): Promise<readonly Check[]> {
  const agents = knownAgents(home);
  const known = new Set(agents.map(({ workspace_id }) => workspace_id));
  return [
    ...leftover(
      'directories',
      entriesOf(join(home, 'agents'))
        .filter((name) => !known.has(name))
        .map((name) => join(home, 'agents', name)),
      'they belong to no agent: look at them, then remove them; or set store.db aside, and it is rebuilt from their journals',
    ),
    ...leftover(
      'worktrees',
      entriesOf(join(home, 'worktrees'))
        .filter((name) => !known.has(name))
        .map((name) => join(home, 'worktrees', name)),
      'they belong to no agent: look at them, without running git or other programs there, then remove them',
    ),
    ...leftover(
      'branches',
      (await Promise.all(repositories.map((repository) => orphanBranches(repository, agents)))).flat(),
      'they belong to no agent of this home: git branch -d removes merged ones',
    ),
    ...leftover(
      'refs',
      (await Promise.all(repositories.map((each) => orphanRefs(each, agents, archivedIn(home))))).flat(),
      'no agent or archive of this home uses them: unless another fleet home does, git update-ref -d REF removes them',
    ),
  ];
}

function leftover(name: string, found: readonly string[], fix: string): readonly Check[] {
  if (found.length === 0) return [];
  const more = found.length > SHOWN ? ` and ${found.length - SHOWN} more` : '';
  return [
    { name: `leftover ${name}`, state: 'warn', message: `${found.slice(0, SHOWN).join(', ')}${more}`, fix },
  ];
}

/** Branches that were made for an agent, in no worktree, with no agent of that name. */
async function orphanBranches(repository: string, agents: readonly KnownAgent[]): Promise<readonly string[]> {
  const { ok, stdout } = await git(repository, [
    'for-each-ref',
    '--format=%(refname:lstrip=2)%00%(worktreepath)',
    'refs/heads/fleet/',
  ]);
  if (!ok) return [];
  const names = new Set(agents.map(({ name }) => name.toLowerCase()));
  return stdout
    .split('\n')
    .flatMap((line) => {
      const [branch = '', worktree = ''] = line.split('\0');
      const name = branch.replace(/^fleet\//, '').replace(/-[0-9a-f]{8}$/, '');
      return branch === '' || worktree !== '' || names.has(name.toLowerCase()) ? [] : [branch];
    })
    .map((branch) => `${branch} in ${repository}`);
}

/** What was borrowed for agents, and is shown of them, when nobody has them any more. */
async function orphanRefs(
  repository: string,
  agents: readonly KnownAgent[],
  archived: readonly string[],
): Promise<readonly string[]> {
  // A real remote of that name has branches of its own.
  const isRemote = (await git(repository, ['config', '--get', 'remote.fleet.url'])).ok;
  const patterns = isRemote ? [PINS] : [PINS, SHOWN_AS];
  const format = '--format=%(refname) %(contents:subject)';
  const { ok, stdout } = await git(repository, ['for-each-ref', format, ...patterns]);
  if (!ok) return [];
  const ids = new Set([...agents.map(({ workspace_id }) => workspace_id), ...archived]);
  const found = stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => ({ ref: line.replace(/ .*/, ''), subject: line.replace(/^[^ ]* /, '') }));
  const pins = found.filter(({ ref }) => ref.startsWith(PINS));
  const shown = new Set(pins.map(({ subject }) => subject));
  return found
    .filter(({ ref }) => (ref.startsWith(PINS) ? !ids.has(ref.slice(PINS.length + 1)) : !shown.has(ref)))
    .map(({ ref }) => `${ref} in ${repository}`);
}

/** Archives that are half removed still have theirs. */
function archivedIn(home: string): readonly string[] {
  return entriesOf(join(home, 'archive')).map((name) => name.replace(/\.ended$/, ''));
}

/** Sockets whose path would have been too long, of runners that are gone. */
async function deadSockets(): Promise<readonly string[]> {
  const sockets = entriesOf(runtimeDirectory()).filter((name) => name.endsWith('.sock'));
  const paths = sockets.map((name) => join(runtimeDirectory(), name));
  const alive = await Promise.all(paths.map(isHeard));
  return paths.filter((_, index) => alive[index] === false);
}

function isHeard(socket: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const connection = connect(socket);
  connection.once('connect', () => resolve(true));
  connection.once('error', () => resolve(false));
  return promise.finally(() => connection.destroy());
}
