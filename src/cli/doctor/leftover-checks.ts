import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { git } from '../../backends/local/git.ts';
import { isSound } from '../../platform/is-sound.ts';
import { runtimeDirectory } from '../../platform/socket-path.ts';
import type { Check } from '../doctor-checks.ts';
import { entriesOf } from '../gc/files-under.ts';
import { damagedFiles } from './ground-checks.ts';
import { knownAgents, type KnownAgent } from './known-agents.ts';

const SHOWN = 5;

/** What lies around and belongs to no agent. Nothing of it is removed: whether it is worth something is not known. */
export async function leftoverChecks(
  home: string,
  repositories: readonly string[],
): Promise<readonly Check[]> {
  const store = join(home, 'store.db');
  return [
    ...(existsSync(store) && isSound(store, 'store_corrupt') ? await withoutAgent(home, repositories) : []),
    ...leftover('sockets', await deadSockets(), 'nobody listens on them: remove them'),
    ...leftover(
      'damaged files',
      damagedFiles(home),
      'they were set aside: remove them when you need nothing of them',
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
      'no agent has them: look into them, then remove them; or set store.db aside, and what their journals say comes back',
    ),
    ...leftover(
      'worktrees',
      entriesOf(join(home, 'worktrees'))
        .filter((name) => !known.has(name))
        .map((name) => join(home, 'worktrees', name)),
      'no agent has them: fleet gc --yes removes those without work of their own',
    ),
    ...leftover(
      'branches',
      (await Promise.all(repositories.map((repository) => orphanBranches(repository, agents)))).flat(),
      'no agent of this home has them, maybe one of another: git branch -d removes what is merged',
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
