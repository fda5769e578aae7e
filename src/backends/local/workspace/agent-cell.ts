import { chmodSync, existsSync, lstatSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { adaptersDirectory } from '../../../agents/adapter-of.ts';
import { writeProblem } from '../../../config/write-problem.ts';
import { FleetError, quote } from '../../../domain/values/errors.ts';
import type { Launch } from '../../../domain/launch.ts';
import type { Cell } from '../../../platform/processes/cell.ts';
import { PACKAGE_ROOT } from '../../../platform/package.ts';
import { PROCESS_LIMIT } from '../../../platform/processes/process-group.ts';
import { runtimeDirectory } from '../../../platform/socket-path.ts';
import { isWithin, type Shown } from '../../../platform/processes/world.ts';
import { git } from '../../git/git.ts';
import { INSIDE } from './inside.ts';
import { knownSockets } from './known-sockets.ts';
import { cachesOf } from './own-places.ts';
import type { AgentPaths } from '../records/paths.ts';
import { userSettings } from './user-settings.ts';
import type { WorkspacePlan } from '../records/workspace-plan.ts';

export interface CellRequest {
  readonly home: string;
  readonly paths: AgentPaths;
  readonly plan: WorkspacePlan;
  readonly launch: Launch;
}

/** What NixOS needs of a directory that is hidden otherwise. */
export const SHOWN_OF_RUN = ['/run/current-system'];

/** An agent can write its workspace, temporary files and state of its own, the caches of its project, and what its role
 *  adds. It sees the rest of the machine read-only, and neither the fleet's home nor the directories in which programs of
 *  the user listen. */
export async function agentCell(request: CellRequest): Promise<Cell> {
  const { home, paths, plan, launch } = request;
  const [root, scratch] = [join(paths.stage, 'root'), join(paths.stage, 'scratch')];
  const caches = cachesOf(home, launch.project);
  for (const directory of [root, scratch, caches]) mkdirSync(directory, { recursive: true, mode: 0o700 });
  for (const directory of [paths.temporary, paths.longTemporary]) {
    mkdirSync(directory, { recursive: true });
    chmodSync(directory, 0o1777);
  }
  return {
    world: {
      root,
      scratch,
      replaced: [
        { path: '/tmp', by: paths.temporary },
        { path: '/var/tmp', by: paths.longTemporary },
      ],
      hidden: [...hiddenPlaces(home), ...(launch.hide ?? [])],
      shown: [
        ...[plan.directory, paths.state, caches].map(writable),
        // Sandboxes such as Codex's hide a directory of /tmp also where its file system has it: that must be there.
        writable(paths.temporary),
        ...(plan.clone === undefined ? await gitDirectories(plan) : []).map(writable),
        ...(launch.write ?? []).map((path) => checked(path, home)).map(writable),
        ...visible(request).map(readable),
        ...[paths.bin, adaptersDirectory(home), PACKAGE_ROOT, process.execPath].map(readable),
        ...SHOWN_OF_RUN.map((path) => ({ from: path, at: path, writable: false })),
        ...(launch.sockets ?? []).map(readable),
        { from: caches, at: INSIDE.caches, writable: true },
        { from: paths.selfSocket, at: INSIDE.selfSocket, writable: false },
        { from: paths.teamSocket, at: INSIDE.teamSocket, writable: false },
        ...(launch.ssh_agent === undefined
          ? []
          : [{ from: launch.ssh_agent, at: INSIDE.sshAgent, writable: false }]),
      ],
    },
    links: userSettings(caches, launch, paths),
    processes: PROCESS_LIMIT,
    group: null,
    network: true,
  };
}

/** The fleet's home, and the directories in which programs of the user listen. */
export function hiddenPlaces(home: string): readonly string[] {
  return [
    home,
    '/run',
    '/var/run',
    runtimeDirectory(),
    ...[process.env['XDG_RUNTIME_DIR'] ?? ''].filter((path) => path !== ''),
    ...knownSockets(homedir()),
  ];
}

/** What an agent can read also when it lies in a directory that has another one in its place. */
function visible({ plan, launch }: CellRequest): readonly string[] {
  const userHome = launch.env['HOME'] ?? homedir();
  const lender = plan.clone === undefined ? [] : [plan.clone.lender];
  return [homedir(), userHome, plan.repository, ...lender, '/etc/resolv.conf'].filter(
    (path) => launch.hide?.some((hidden) => isWithin(hidden, path)) !== true,
  );
}

function writable(from: string): Shown {
  return { from, writable: true };
}

function readable(from: string): Shown {
  return { from, writable: false };
}

/** The configuration was checked when it was read; a link may lead elsewhere since then. */
function checked(path: string, home: string): string {
  const problem = writeProblem(path, process.env) ?? homeProblem(path, home);
  if (problem === undefined) return path;
  throw new FleetError('INVALID_INPUT', `The agent was not started: "write" of its role has ${problem}.`, {
    field: 'write',
  });
}

function homeProblem(path: string, home: string): string | undefined {
  if (!existsSync(path) || !isWithin(realpathSync(home), realpathSync(path))) return undefined;
  return `${quote(path)}, which is part of the fleet's home`;
}

/** Of an agent in a worktree: the git directory of all worktrees of the repository. Files in it that name another one are written by agents too:
 *  they count only for a repository that has no directory of its own. */
async function gitDirectories({ repository }: WorkspacePlan): Promise<readonly string[]> {
  if (!existsSync(repository)) return [];
  const own = join(repository, '.git');
  if (lstatSync(own, { throwIfNoEntry: false })?.isDirectory() === true) return [own];
  if (isBare(repository)) return [repository];
  const { ok, stdout } = await git(repository, ['rev-parse', '--path-format=absolute', '--git-common-dir']);
  return ok ? [stdout.replace(/\n$/, '')] : [];
}

function isBare(repository: string): boolean {
  return ['objects', 'refs'].every(
    (name) => statSync(join(repository, name), { throwIfNoEntry: false })?.isDirectory() === true,
  );
}
