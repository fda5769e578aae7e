import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { errorOfBody, FleetError, toFleetError } from '../../../domain/values/errors.ts';
import { isStorageReason } from '../../../domain/values/storage-problem.ts';
import { capFile } from '../../../platform/cap-file.ts';
import { takeLease } from '../../../platform/database/lease.ts';
import { knownForm } from '../../../platform/processes/containment.ts';
import { checkInstalled, programFile } from '../../../platform/package.ts';
import { hasLiveRunner } from '../records/with-owned-journal.ts';
import type { LocalContext } from '../records/local-context.ts';
import { agentPaths, type AgentPaths } from '../records/paths.ts';
import { jsonIn } from '../../../domain/values/text.ts';

const START_WAIT_MS = 30_000;

/** Starts the runner of an agent unless one is there. However many ask at once, one starts it. */
export async function startRunner(context: LocalContext, workspaceId: string): Promise<void> {
  const paths = agentPaths(context.home, workspaceId);
  mkdirSync(paths.directory, { recursive: true, mode: 0o700 });
  const until = performance.now() + START_WAIT_MS;
  let problem: FleetError | undefined;
  while (performance.now() < until) {
    if (await answers(paths.socket)) return;
    using starting = hasLiveRunner(context, workspaceId) ? undefined : takeLease(paths.startLock);
    if (starting === undefined) await delay(25);
    else if (!(await answers(paths.socket))) {
      const started = await spawnRunner(context, workspaceId, paths);
      if (started.problem !== undefined) problem = started.problem;
      if (!started.ready) break;
    }
  }
  if (await answers(paths.socket)) return;
  if (isStorageReason(problem?.details.reason)) throw problem;
  throw new FleetError(
    'SERVICE_UNAVAILABLE',
    `The agent's runner could not be started; ${paths.runnerLog} may say why.`,
    {
      reason: 'runner_not_started',
    },
  );
}

/** Starts the runner and does not wait for it. */
export function launchRunner(context: LocalContext, workspaceId: string): void {
  const paths = agentPaths(context.home, workspaceId);
  mkdirSync(paths.directory, { recursive: true, mode: 0o700 });
  const child = spawnDetached(context, workspaceId, paths, 'ignore');
  // The agent is pending then, and the next process that needs it starts a runner.
  child.once('error', () => {});
  child.unref();
}

interface Started {
  /** True when the runner said that it is ready, or another has the agent. */
  readonly ready: boolean;
  /** What the runner said instead. */
  readonly problem?: FleetError | undefined;
}

async function spawnRunner(context: LocalContext, workspaceId: string, paths: AgentPaths): Promise<Started> {
  const child = spawnDetached(context, workspaceId, paths, 'pipe');
  const { promise, resolve } = Promise.withResolvers<Started>();
  child.once('error', (thrown) => resolve({ ready: false, problem: toFleetError(thrown) }));
  child.once('close', (code) => resolve({ ready: code === 0 }));
  child.stdout?.once('data', (said: Buffer) => {
    const problem = errorOfBody(jsonIn(said.toString('utf8')));
    resolve({ ready: problem === undefined, problem });
  });
  const late = delay(START_WAIT_MS, { ready: false }, { ref: false });
  const started = await Promise.race([promise, late]);
  child.stdout?.destroy();
  child.unref();
  return started;
}

/** A process of its own: it outlives the one that started it, and gets nothing of that one's environment but this. */
function spawnDetached(
  context: LocalContext,
  workspaceId: string,
  paths: AgentPaths,
  stdout: 'pipe' | 'ignore',
) {
  checkInstalled();
  capFile(paths.runnerLog);
  const log = openSync(paths.runnerLog, 'a', 0o600);
  try {
    return spawn(
      process.execPath,
      [
        '--max-semi-space-size=1',
        '--disable-warning=ExperimentalWarning',
        programFile('backends/local/runner/runner-main'),
        context.home,
        workspaceId,
      ],
      {
        detached: true,
        stdio: ['ignore', stdout, log],
        cwd: context.home,
        env: runnerEnvironment(context.home),
      },
    );
  } finally {
    closeSync(log);
  }
}

function runnerEnvironment(home: string): NodeJS.ProcessEnv {
  const kept = [
    'PATH',
    'HOME',
    'TMPDIR',
    'XDG_RUNTIME_DIR',
    'LANG',
    'TZ',
    'FLEET_CONTAINMENT',
    'FLEET_DEBUG',
  ];
  const own = kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]));
  return {
    ...Object.fromEntries(own),
    ...knownForm(),
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(home, 'cache', 'compile'),
  };
}

function answers(socket: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const connection = connect(socket);
  connection.once('connect', () => resolve(true));
  connection.once('error', () => resolve(false));
  return promise.finally(() => connection.destroy());
}
