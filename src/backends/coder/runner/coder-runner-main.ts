import { mkdirSync } from 'node:fs';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { FleetError, toFleetError } from '../../../domain/values/errors.ts';
import { FLEET_ACTOR } from '../../../domain/principal.ts';
import { systemClock } from '../../../platform/clock.ts';
import { packageVersion } from '../../../platform/package.ts';
import { placeSocket, socketPath } from '../../../platform/socket-path.ts';
import { commandDriver } from '../../../runner/programs/command-driver.ts';
import { driverOf, selfServer } from '../../../runner/drivers.ts';
import type { Driver } from '../../../runner/programs/driver.ts';
import type { Journal } from '../../../runner/journal/journal.ts';
import { ownJournal } from '../../../runner/own-journal.ts';
import { FREE_TURN } from '../../../runner/workspace.ts';
import { fleetHandlers } from '../../../runner/runner-handlers.ts';
import { serveSelf } from '../../../runner/runner-server.ts';
import { CallLedger } from '../../../store/call-ledger.ts';
import { Store } from '../../../store/store.ts';
import { commonVariables } from '../../hosting/common-variables.ts';
import { closeServers, makeRunner, runRunner } from '../../hosting/runner-process.ts';
import { AppStatusReporter, type CoderAgentAccess } from './app-status-reporter.ts';
import { fleetKeyOf } from './check-signature.ts';
import type { FolderWork } from './folder-work.ts';
import { folderWorkspace } from './folder-workspace.ts';
import { hasFleet, launchParameters, type CoderLaunch, type RunnerPlace } from './launch-parameters.ts';
import { newsOf } from './news.ts';
import { pushKeptWork } from './push-kept-work.ts';
import { checkStorage } from './persistent-storage.ts';
import { reportFailure } from './report-failure.ts';
import { restingDriver } from './resting-driver.ts';
import { serveProxiedRunner } from './serve-proxied-runner.ts';
import { workHandlers } from './work-handlers.ts';

// The process beside the agent of one Coder workspace, started by the template's script. It ends with 0 when it was asked
// to, and the script starts it again when it ends with anything else.

/** As long as an agent of this machine is kept awake. */
const REST_AFTER_MS = 5 * 60_000;
/** How long a runner that was asked to end waits until the fleet has read its last facts. */
const LAST_ANSWERS_MS = 3_000;
const LEASE_WAIT_MS = 10_000;

await runRunner(
  () => main(process.env),
  ({ message }) => reportFailure(accessOf(process.env), message),
);
// Connections that others keep open would hold it up.
process.exit();

async function main(env: NodeJS.ProcessEnv): Promise<void> {
  const place: RunnerPlace = {
    parameters: needed(env, 'FLEET_PARAMETERS'),
    state: needed(env, 'FLEET_STATE'),
    directory: needed(env, 'FLEET_DIRECTORY'),
    workspace_id: needed(env, 'CODER_WORKSPACE_ID'),
    name: needed(env, 'CODER_WORKSPACE_NAME'),
  };
  mkdirSync(place.state, { recursive: true, mode: 0o700 });
  checkStorage(place.state, env['FLEET_STORAGE'] === 'persistent');
  // A workspace without a fleet has nothing to do; adopting it restarts it.
  if (!hasFleet(place)) return console.error('no fleet has made this workspace, or adopted it');
  const made = launchParameters(place, env);
  const until = performance.now() + LEASE_WAIT_MS;
  using owned = await ownJournal({
    directory: place.state,
    workspace_id: place.workspace_id,
    clock: systemClock,
    waitFor: () => performance.now() < until,
  });
  if (owned === undefined) throw new Error('another runner has the journal of this workspace');
  begin(owned.journal, made);
  await live(owned.journal, { place, made, env });
}

/** The first task is taken once: a journal that has anything in it has it. */
function begin(journal: Journal, { launch, by, creation }: CoderLaunch): void {
  journal.setLaunch(launch, null);
  if (journal.state().seq === 0) journal.append(by, ...creation);
  // The workspace was started, so the agent must not stay stopped.
  const { phase } = journal.state();
  if (phase !== 'pending' && phase !== 'starting' && phase !== 'ready')
    journal.append(FLEET_ACTOR, { kind: 'agent.restart_requested' });
}

interface Living {
  readonly place: RunnerPlace;
  readonly made: CoderLaunch;
  readonly env: NodeJS.ProcessEnv;
}

async function live(journal: Journal, { place, made, env }: Living): Promise<void> {
  const { launch } = made;
  using store = new Store(place.state);
  using reporter = new AppStatusReporter(accessOf(env), journal.state());
  const agentEnv = environmentOf(made, place);
  const { workspace_id } = launch;
  const options = { ...place, ...made, agent_name: place.name, workspace_id };
  let loaded: Promise<FolderWork> | undefined;
  const work = (): Promise<FolderWork> =>
    (loaded ??= import('./folder-work.ts').then(
      ({ FolderWork }) => new FolderWork({ options, launch, store, env: agentEnv }),
    ));
  const runner = makeRunner({
    store,
    journal,
    launch,
    driver: driverHere(launch.agent),
    workspace: folderWorkspace(options, work),
    admission: { enter: async () => FREE_TURN },
    publisher: reporter,
    env: agentEnv,
    cell: null,
    servers: [selfServer(agentEnv), ...(made.team === null ? [] : [made.team])],
    lookedAt: () => Date.now(),
    checker: {
      commit: async () => (await work()).checker.commit(),
      run: async (run) => (await work()).checker.run(run),
      known: async (...asked) => (await work()).checker.known(...asked),
    },
  });
  runner.begin();
  let ended = false;
  let done = false;
  let keeps = false;
  let lastWord: object = {};
  let heard = 0;
  // Somebody stops the workspace.
  process.on('SIGTERM', () => {
    if (ended) return;
    ended = true;
    runner.end('stop', { principal: 'coder:workspace', door: 'fleet' });
  });
  const handlers = fleetHandlers(runner);
  const servers: readonly Server[] = [
    await serveProxiedRunner({
      port: Number(needed(env, 'FLEET_PORT')),
      workspace_id: place.workspace_id,
      key: fleetKeyOf(made.public_key),
      handlers: {
        ...handlers,
        ...workHandlers({ runner, journal, launch, work }),
        news: async () => ({ version: packageVersion(), done, ...lastWord }),
        end: (fields, by) => {
          ended = true;
          keeps = fields['kind'] === 'delete' && fields['discard_work'] !== true;
          return handler(handlers, 'end')(fields, by);
        },
      },
      news: (fields) => {
        const news = newsOf(journal, fields, reporter.checkpoints);
        heard = journal.state().seq;
        return news;
      },
    }),
    await serveSelf(runner, {
      socket: socketPath(place.state, 'self.sock'),
      agent_name: place.name,
      record: (call) => new CallLedger(store).record(call),
    }),
  ];
  await runner.run();
  if (keeps) lastWord = await keepWork(place);
  done = true;
  heard = 0;
  const until = performance.now() + LAST_ANSWERS_MS;
  const isHeard = (): boolean => !ended || heard >= journal.state().seq;
  while (!isHeard() && performance.now() < until) await delay(20);
  closeServers(servers);
  const { phase, phase_reason } = journal.state();
  // The process ends before a status of the agent has arrived: its failure is reported as one of the runner.
  if (phase === 'failed' && !ended) throw new FleetError('SERVICE_UNAVAILABLE', phase_reason);
  // Work that could not be kept is not left alone: the agent goes on.
  if (!ended || 'problem' in lastWord) process.exitCode = 1;
}

async function keepWork({ directory, name, workspace_id }: RunnerPlace): Promise<object> {
  try {
    return { kept: await pushKeptWork(directory, `fleet-kept/${name}/${workspace_id}`) };
  } catch (thrown) {
    return { problem: toFleetError(thrown).message };
  }
}

function handler(handlers: ReturnType<typeof fleetHandlers>, name: string) {
  const found = handlers[name];
  if (found === undefined) throw new Error(`a runner has no "${name}"`);
  return found;
}

/** Between tasks the process of a coding agent ends after a while, as on one machine. */
function driverHere(kind: string): Driver {
  const driver = driverOf(kind);
  return driver === commandDriver ? driver : restingDriver(driver, REST_AFTER_MS);
}

function environmentOf({ launch }: CoderLaunch, place: RunnerPlace): Record<string, string> {
  placeSocket(place.state, 'self.sock');
  return {
    ...launch.env,
    ...commonVariables(launch, { bin: join(place.state, 'bin') }),
    FLEET_SELF_SOCKET: socketPath(place.state, 'self.sock'),
  };
}

function accessOf(env: NodeJS.ProcessEnv): CoderAgentAccess {
  return { url: needed(env, 'CODER_AGENT_URL'), token: needed(env, 'CODER_AGENT_TOKEN') };
}

function needed(env: NodeJS.ProcessEnv, name: string): string {
  const value = env[name];
  if (value === undefined || value === '') throw new Error(`the start script must set ${name}`);
  return value;
}
