import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { rolesOf } from '../../config/built-in-roles.ts';
import { ConfigSource, type LoadedConfig } from '../../config/config-source.ts';
import { findConfig } from '../../config/find-config.ts';
import { checked, checkedAsync, failedCheck, type Check, type Finding } from '../../domain/check.ts';
import { isTrusted, trustCommand } from '../../config/trust.ts';
import { findProgram } from '../../platform/processes/find-program.ts';
import { oldestNode } from '../../platform/package.ts';
import { ensureHome, resolveHome } from '../../platform/home.ts';
import { TASK_PROGRAMS } from '../../runner/metadata/task-programs.ts';
import { BACKENDS, type FleetPlace, type OpenedFleet } from '../../fleet/open-fleet.ts';
import { openOwned } from '../../fleet/open-owned.ts';
import { DEFAULT_PORT } from '../../platform/default-port.ts';
import { containmentFinding } from './containment-finding.ts';
import { identityFinding } from './identity-finding.ts';
import { serverChecks } from './server-checks.ts';
import { writeChecks } from './write-checks.ts';
import { roleFinding } from './role-finding.ts';

/** Checks everything that a fleet needs on this machine. A failing check does not prevent the others. */
export async function runChecks(place: FleetPlace): Promise<readonly Check[]> {
  const { config, checks } = configChecks(place);
  return [
    checked('node', nodeCheck),
    await checkedAsync('git', gitCheck),
    await checkedAsync('git identity', () => identityFinding(place, localRepositories(config))),
    await checkedAsync('task', () => taskCheck(place.env)),
    checked('home', () => homeCheck(place.env)),
    ...checks,
    ...roleChecks(config, place.env),
    ...serverChecks(config, place.env),
    checked('containment', () => containmentFinding(place.env)),
    await checkedAsync('port', portCheck),
    ...(await backendChecks(place, config)),
  ];
}

/** What each kind of backend checks itself. */
async function backendChecks(place: FleetPlace, loaded: LoadedConfig | undefined): Promise<readonly Check[]> {
  let opened: OpenedFleet | undefined;
  const all: Check[] = [];
  for (const [kind, { checks }] of Object.entries(BACKENDS)) {
    const backends = async () => (opened ??= await openOwned(place)).backendsOf(kind);
    try {
      all.push(...((await checks?.({ ...place, home: resolveHome(place.env), loaded, backends })) ?? []));
    } catch (thrown) {
      all.push(failedCheck(kind, thrown));
    }
  }
  await opened?.[Symbol.asyncDispose]();
  return all;
}

function localRepositories(loaded: LoadedConfig | undefined): readonly string[] {
  const projects = Object.values(loaded?.config.projects ?? {});
  return [
    ...new Set(projects.flatMap(({ backend, repository }) => (backend === 'local' ? [repository] : []))),
  ];
}

function nodeCheck(): Finding {
  const version = process.versions.node;
  const oldest = oldestNode();
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = oldest.split('.').map(Number);
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor))
    return { state: 'ok', message: `Node ${version}` };
  return { state: 'fail', message: `Node ${version} is too old`, fix: `install Node ${oldest} or newer` };
}

async function gitCheck(): Promise<Finding> {
  try {
    const { stdout } = await promisify(execFile)('git', ['--version']);
    const [major = 0, minor = 0] = (/\d+\.\d+/.exec(stdout)?.[0] ?? '').split('.').map(Number);
    const message = stdout.trim();
    if (major > 2 || (major === 2 && minor >= 30)) return { state: 'ok', message };
    return {
      state: 'warn',
      message: `${message} is older than the versions that Fleet is tested with`,
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
  if (mode === 0o700) return { state: 'ok', message: `${home} is writable and only yours` };
  return { state: 'fail', message: `${home} has mode ${mode.toString(8)}`, fix: `chmod 700 ${home}` };
}

function configChecks(place: FleetPlace): { config: LoadedConfig | undefined; checks: readonly Check[] } {
  let config: LoadedConfig | undefined;
  const found = checked('config', () => {
    const home = resolveHome(place.env);
    const location = findConfig({ flag: place.config, env: place.env, cwd: place.cwd });
    if (location === undefined) {
      return {
        state: 'warn',
        message: 'no configuration, so there are no projects',
        fix: 'in a git repository: fleet init',
      };
    }
    const trusted = (path: string, hash: string) => isTrusted(home, path, hash);
    config = new ConfigSource({ location, env: place.env, isTrusted: trusted }).current();
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

function roleChecks(loaded: LoadedConfig | undefined, env: NodeJS.ProcessEnv): readonly Check[] {
  if (loaded === undefined || loaded.path === null) return [];
  return rolesOf(loaded.config).flatMap((role) => [
    checked(`role ${role.name}`, () => roleFinding(role, env)),
    ...writeChecks(role, env),
  ]);
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
      message: `${DEFAULT_PORT} is in use: fleet serve will use another port`,
      fix: 'nothing to do if fleet serve runs there',
    };
  } finally {
    server.close();
  }
}
