import { join } from 'node:path';
import { codingAgent } from '../../../agents/catalogue.ts';
import type { Launch } from '../../../domain/launch.ts';
import { TEAM_SOCKET_VARIABLE } from '../../../domain/team.ts';
import { INSIDE } from './inside.ts';
import type { AgentPaths } from '../records/paths.ts';
import { projectIdOf } from '../records/project-ids.ts';

/** Where the programs of a project's agents keep what they fetched: never where those of the user do. */
export function cachesOf(home: string, project: string): string {
  return join(home, 'caches', projectIdOf(project));
}

/** Variables by which an agent finds places: those that its role can set otherwise, and those that hold. */
interface Places {
  /** Where its tools put programs that they install; the last on its PATH. */
  readonly programs: readonly string[];
  readonly defaults: Readonly<Record<string, string>>;
  readonly fixed: Readonly<Record<string, string>>;
}

/** Of an agent that sees the machine as it is. */
export function outsidePlaces(launch: Launch, { selfSocket, teamSocket }: AgentPaths): Places {
  return {
    programs: [],
    defaults: {},
    fixed: socketVariables(launch, { selfSocket, teamSocket, sshAgent: launch.ssh_agent }),
  };
}

/** Of a sandboxed agent: caches of its project, a state of its own, sockets as it sees them. */
export function ownPlaces(home: string, launch: Launch, paths: AgentPaths): Places {
  const { programs, defaults } = projectPlaces(home, launch.project);
  return {
    programs,
    defaults: { ...defaults, ...stateVariables(launch, paths) },
    fixed: socketVariables(launch, INSIDE),
  };
}

/** The caches of a project, for any sandboxed program of it. */
export function projectPlaces(home: string, project: string): Omit<Places, 'fixed'> {
  const caches = cachesOf(home, project);
  const { cargo, go, python } = cachePlaces(caches);
  return {
    programs: [cargo, go, python].map((place) => join(place, 'bin')),
    defaults: cacheVariables(caches),
  };
}

interface Sockets {
  readonly selfSocket: string;
  readonly teamSocket: string;
  readonly sshAgent: string | undefined;
}

function socketVariables(
  { team, ssh_agent }: Launch,
  { selfSocket, teamSocket, sshAgent }: Sockets,
): Record<string, string> {
  return {
    FLEET_SELF_SOCKET: selfSocket,
    ...(team === undefined ? {} : { [TEAM_SOCKET_VARIABLE]: teamSocket }),
    ...(ssh_agent === undefined || sshAgent === undefined ? {} : { SSH_AUTH_SOCK: sshAgent }),
  };
}

/** Directories of a project's caches. */
export function cachePlaces(caches: string) {
  return {
    xdg: join(caches, 'xdg'),
    npm: join(caches, 'npm'),
    pnpm: join(caches, 'pnpm'),
    yarn: join(caches, 'yarn'),
    bun: join(caches, 'bun'),
    pip: join(caches, 'pip'),
    python: join(caches, 'python'),
    cargo: join(caches, 'cargo'),
    go: join(caches, 'go'),
    gradle: join(caches, 'gradle'),
    maven: join(caches, 'maven'),
  };
}

function cacheVariables(caches: string): Record<string, string> {
  const places = cachePlaces(caches);
  return {
    XDG_CACHE_HOME: places.xdg,
    npm_config_cache: places.npm,
    PNPM_HOME: places.pnpm,
    YARN_GLOBAL_FOLDER: places.yarn,
    BUN_INSTALL_CACHE_DIR: places.bun,
    PIP_CACHE_DIR: places.pip,
    PYTHONUSERBASE: places.python,
    CARGO_HOME: places.cargo,
    GOPATH: places.go,
    GOMODCACHE: join(places.go, 'pkg', 'mod'),
    GOCACHE: join(caches, 'go-build'),
    GRADLE_USER_HOME: places.gradle,
    // Maven splits it at spaces, and takes MAVEN_ARGS only since 3.9.
    MAVEN_OPTS: `-Dmaven.repo.local=${join(INSIDE.caches, 'maven', 'repository')}`,
    MAVEN_USER_HOME: places.maven,
  };
}

/** Where the coding agent keeps its settings and its sessions: those of the user run programs as the user. */
function stateVariables({ agent }: Launch, { state }: AgentPaths): Record<string, string> {
  const directories = codingAgent(agent)?.state ?? {};
  return Object.fromEntries(Object.entries(directories).map(([name, path]) => [name, join(state, path)]));
}
