import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryProblem } from '../backends/local/plan-worktree.ts';
import { rolesOf } from '../config/built-in-roles.ts';
import { ConfigSource, type LoadedConfig } from '../config/config-source.ts';
import { findConfig } from '../config/find-config.ts';
import { mentionsCoder } from '../config/mentions-coder.ts';
import { isTrusted, trustCommand } from '../config/trust.ts';
import { toFleetError } from '../domain/errors.ts';
import { containmentBound, containmentLevel } from '../platform/containment.ts';
import { findProgram } from '../platform/find-program.ts';
import { PROCESS_LIMIT } from '../platform/process-group.ts';
import { ensureHome, resolveHome } from '../platform/home.ts';
import { TASK_PROGRAMS } from '../runner/metadata/task-programs.ts';
import type { Cli } from './cli.ts';
import { DEFAULT_PORT } from './default-port.ts';
import { groundChecks } from './doctor/ground-checks.ts';
import { leftoverChecks } from './doctor/leftover-checks.ts';
import { serverChecks } from './doctor/server-checks.ts';
import { roleFinding } from './role-finding.ts';

export interface Check {
  readonly name: string;
  readonly state: 'ok' | 'warn' | 'fail';
  readonly message: string;
  /** What to do about it. */
  readonly fix?: string;
}

export type Finding = Omit<Check, 'name'>;

/** Looks at everything that a fleet needs on this machine. One check that fails does not keep the others from it. */
export async function runChecks(cli: Cli): Promise<readonly Check[]> {
  const { config, checks } = configChecks(cli);
  return [
    checked('node', nodeCheck),
    await checkedAsync('git', gitCheck),
    await checkedAsync('task', () => taskCheck(cli.env)),
    checked('home', () => homeCheck(cli.env)),
    ...checks,
    ...(await projectChecks(config)),
    ...roleChecks(config, cli.env),
    ...serverChecks(config, cli.env),
    checked('containment', containmentCheck),
    await checkedAsync('port', portCheck),
    ...(await homeChecks(cli, config)),
    ...(await coderChecks(cli)),
  ];
}

/** The Coder servers that the configuration uses. */
async function coderChecks(cli: Cli): Promise<readonly Check[]> {
  if (!mentionsCoder({ flag: cli.config, env: cli.env, cwd: cli.cwd })) return [];
  try {
    return await (await import('./doctor/coder-checks.ts')).coderChecks(cli);
  } catch (thrown) {
    return [failed('coder', thrown)];
  }
}

/** What lies in the home; what is wrong with the home itself is told above. */
async function homeChecks(cli: Cli, loaded: LoadedConfig | undefined): Promise<readonly Check[]> {
  const home = resolveHome(cli.env);
  if (!existsSync(home)) return [];
  const projects = Object.values(loaded?.config.projects ?? {});
  const own = projects.flatMap(({ backend, repository }) => (backend === 'local' ? [repository] : []));
  try {
    return [...groundChecks(home), ...(await leftoverChecks(home, [...new Set(own)]))];
  } catch (thrown) {
    return [failed('state', thrown)];
  }
}

function nodeCheck(): Finding {
  const version = process.versions.node;
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 13)) return { state: 'ok', message: `Node ${version}` };
  return { state: 'fail', message: `Node ${version} is too old`, fix: 'install Node 22.13 or newer' };
}

async function gitCheck(): Promise<Finding> {
  try {
    const { stdout } = await promisify(execFile)('git', ['--version']);
    const [major = 0, minor = 0] = (/\d+\.\d+/.exec(stdout)?.[0] ?? '').split('.').map(Number);
    const message = stdout.trim();
    if (major > 2 || (major === 2 && minor >= 30)) return { state: 'ok', message };
    return {
      state: 'warn',
      message: `${message} is older than what Fleet is tested with`,
      fix: 'install git 2.31 or newer',
    };
  } catch {
    return { state: 'fail', message: 'git was not found on PATH', fix: 'install git' };
  }
}

async function taskCheck({ PATH }: NodeJS.ProcessEnv): Promise<Finding> {
  const program = TASK_PROGRAMS.flatMap((name) => findProgram(name, PATH) ?? [])[0];
  const help = program === undefined ? '' : (await promisify(execFile)(program, ['--help'])).stdout;
  // Other programs go by that name too.
  if (program !== undefined && help.includes('--taskfile')) {
    const { stdout } = await promisify(execFile)(program, ['--version']);
    return { state: 'ok', message: `${program}, version ${stdout.trim()}` };
  }
  return {
    state: 'warn',
    message:
      program === undefined
        ? 'the program task (go-task) was not found: agents show no metadata of a Taskfile'
        : `${program} is not go-task: agents show no metadata of a Taskfile`,
    fix: 'only for projects with a Taskfile: https://taskfile.dev/installation, or pip install go-task-bin',
  };
}

function homeCheck(env: NodeJS.ProcessEnv): Finding {
  const home = ensureHome(resolveHome(env));
  const probe = join(home, `.doctor-${process.pid}`);
  writeFileSync(probe, '');
  rmSync(probe);
  const mode = statSync(home).mode & 0o777;
  if (mode === 0o700) return { state: 'ok', message: `${home} is writable and yours alone` };
  return { state: 'fail', message: `${home} has mode ${mode.toString(8)}`, fix: `chmod 700 ${home}` };
}

function configChecks(cli: Cli): { config: LoadedConfig | undefined; checks: readonly Check[] } {
  let config: LoadedConfig | undefined;
  const found = checked('config', () => {
    const home = resolveHome(cli.env);
    const location = findConfig({ flag: cli.config, env: cli.env, cwd: cli.cwd });
    if (location === undefined) {
      return {
        state: 'warn',
        message: 'no configuration: there are no projects',
        fix: 'in a git repository: fleet init',
      };
    }
    const trusted = (path: string, hash: string) => isTrusted(home, path, hash);
    config = new ConfigSource({ location, env: cli.env, isTrusted: trusted }).current();
    if (config.trusted) return { state: 'ok', message: `${location.path} is valid` };
    return {
      state: 'warn',
      message: `${location.path} is valid and not trusted`,
      fix: `read it, then: ${trustCommand(location.path)}`,
    };
  });
  const warnings = (config?.warnings ?? []).map((message): Check => ({
    name: 'config',
    state: 'warn',
    message,
  }));
  return { config, checks: [found, ...warnings] };
}

async function projectChecks(loaded: LoadedConfig | undefined): Promise<readonly Check[]> {
  const projects = Object.entries(loaded?.config.projects ?? {}).filter(
    ([, { backend }]) => backend === 'local',
  );
  return Promise.all(
    projects.map(([name, { repository }]) =>
      checkedAsync(`project ${name}`, async () => {
        const problem = await repositoryProblem(repository);
        if (problem === undefined) return { state: 'ok', message: repository };
        return {
          state: 'fail',
          message: `${repository} ${problem}`,
          fix: `mend repository of the project in ${loaded?.path}`,
        };
      }),
    ),
  );
}

function roleChecks(loaded: LoadedConfig | undefined, env: NodeJS.ProcessEnv): readonly Check[] {
  if (loaded === undefined || loaded.path === null) return [];
  return rolesOf(loaded.config).map((role) => checked(`role ${role.name}`, () => roleFinding(role, env)));
}

function containmentCheck(): Finding {
  const { level, reason } = containmentLevel();
  if (level === 'namespace')
    return {
      state: 'ok',
      message: `level namespace: what a task starts ends with it, by the kernel, and agents cannot reach the fleet's home; ${processLimitText()}`,
    };
  return {
    state: 'warn',
    message: `level marker, because ${reason ?? ''}: what a task starts is found by a mark in its environment, and an agent can reach the fleet's home, so that scopes and approvals are advice on this machine`,
    fix: 'run on Linux with util-linux (unshare, setpriv, mount) and user namespaces allowed',
  };
}

function processLimitText(): string {
  const bound = containmentBound();
  if (bound === null) return 'how many processes they start is not limited here';
  return `a task has at most ${PROCESS_LIMIT} processes, by a ${bound}`;
}

async function portCheck(): Promise<Finding> {
  const server = createServer();
  server.listen(DEFAULT_PORT, '127.0.0.1');
  try {
    await once(server, 'listening');
    return { state: 'ok', message: `${DEFAULT_PORT} is free` };
  } catch {
    return {
      state: 'warn',
      message: `${DEFAULT_PORT} is in use: fleet serve takes any free one`,
      fix: 'nothing, if a fleet serve runs there',
    };
  } finally {
    server.close();
  }
}

function checked(name: string, look: () => Finding): Check {
  try {
    return { name, ...look() };
  } catch (thrown) {
    return failed(name, thrown);
  }
}

async function checkedAsync(name: string, look: () => Promise<Finding>): Promise<Check> {
  try {
    return { name, ...(await look()) };
  } catch (thrown) {
    return failed(name, thrown);
  }
}

function failed(name: string, thrown: unknown): Check {
  const { code, message } = toFleetError(thrown);
  const own = thrown instanceof Error ? thrown.message : String(thrown);
  return { name, state: 'fail', message: code === 'INTERNAL_ERROR' ? own : message };
}
