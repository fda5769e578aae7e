import type { Server } from 'node:http';
import { flushCompileCache } from 'node:module';
import { delimiter } from 'node:path';
import { DEFAULT_MEMORY_RESERVE } from '../../domain/admission.ts';
import { toFleetError } from '../../domain/errors.ts';
import { variableText } from '../../domain/text.ts';
import { capFile } from '../../platform/cap-file.ts';
import { systemClock } from '../../platform/clock.ts';
import { packageVersion, programFile } from '../../platform/package.ts';
import { identify } from '../../platform/process-identity.ts';
import { commandDriver } from '../../runner/command-driver.ts';
import { acpDriver } from '../../runner/acp/acp-driver.ts';
import { ACP_KINDS } from '../../runner/acp/acp-kinds.ts';
import { SELF_SERVER } from '../../runner/acp/session-options.ts';
import type { Driver, InjectedServer } from '../../runner/driver.ts';
import { ownJournal } from '../../runner/own-journal.ts';
import { Runner } from '../../runner/runner.ts';
import { serveRunner, serveSelf } from '../../runner/runner-server.ts';
import { CallLedger } from '../../store/call-ledger.ts';
import { Looks } from '../../store/looks.ts';
import type { Store } from '../../store/store.ts';
import { storeAdmission } from './admission.ts';
import { AgentRows, isDoubted } from './agent-rows.ts';
import { ensureCreated, hasLiveRunner } from './attend.ts';
import { checkJournal } from './check-journal.ts';
import { installFleetCommand } from './install-fleet-command.ts';
import { sweepBorrowed } from './borrowed-git.ts';
import type { LocalContext } from './local-context.ts';
import { openStore } from './open-store.ts';
import type { Origin } from './origin.ts';
import { agentCell } from './agent-cell.ts';
import { agentPaths, placeSockets, type AgentPaths } from './paths.ts';
import { StoreAccount } from './store-account.ts';
import { StorePublisher } from './store-publisher.ts';
import { startTeamServer, teamServer } from './team-server.ts';
import { worktree } from './worktree.ts';

/** The process beside one agent of this machine. All its code is loaded by the imports above: an upgrade under a
 *  running one does not break it. */
const DRIVERS: readonly Driver[] = [commandDriver, ...ACP_KINDS.map(acpDriver)];
const LEASE_PATIENCE_MS = 5_000;
const STORE_LOOK_MS = 500;
const LAST_ANSWERS_MS = 100;

const [home, workspaceId] = process.argv.slice(2);
if (home === undefined || workspaceId === undefined) throw new Error('usage: runner-main HOME WORKSPACE_ID');
// Its starter turned the cache on; a runner lives long, and the next one should not wait for its end to gain from it.
flushCompileCache();
process.on('SIGINT', () => {});
process.on('SIGHUP', () => {});
process.stdout.on('error', () => {});
try {
  await main(home, workspaceId);
} catch (thrown) {
  const error = toFleetError(thrown);
  // Whoever started it and still listens passes it on.
  process.stdout.write(`${JSON.stringify(error.toBody())}\n`);
  console.error(error.code === 'INTERNAL_ERROR' ? thrown : error.message);
  process.exitCode = 1;
}

async function main(home: string, workspaceId: string): Promise<void> {
  using store = openStore(home);
  const rows = new AgentRows(store);
  const ledger = new CallLedger(store);
  const context: LocalContext = { home, store, rows, clock: systemClock };
  placeSockets(home, workspaceId);
  const paths = agentPaths(home, workspaceId);
  const until = performance.now() + LEASE_PATIENCE_MS;
  using owned = await ownJournal({
    directory: paths.directory,
    workspace_id: workspaceId,
    clock: systemClock,
    waitFor: () => performance.now() < until && !hasLiveRunner(context, workspaceId),
    check: (journal) => {
      const row = rows.byId(workspaceId);
      if (row !== undefined) checkJournal(context, row, { journal, whole: isDoubted(row) });
    },
  });
  const row = rows.byId(workspaceId);
  const origin = rows.origin(workspaceId);
  if (owned === undefined || row === undefined || origin === undefined || row.tombstone !== null) return;
  const { journal } = owned;
  const servers: Server[] = [];
  journal.onDamage((problem) => {
    console.error(problem.message);
    onSoundGround(() => rows.doubt(workspaceId));
    giveUp(servers);
  });
  ensureCreated(context, row, journal);
  if (!['pending', 'starting', 'ready'].includes(journal.state().phase)) return;
  journal.setLaunch(origin.launch, origin);
  sweepBorrowed(paths.directory);

  const env = agentEnvironment(origin, paths);
  const cell = origin.launch.contained === false ? null : await agentCell({ home, paths, plan: origin.plan });
  const publisher = new StorePublisher(store, row);
  const runner = new Runner({
    journal,
    launch: origin.launch,
    version: packageVersion(),
    driver: driverOf(origin.launch.agent),
    workspace: worktree({
      plan: origin.plan,
      workspace_id: workspaceId,
      stateDirectory: paths.directory,
      env,
      cell,
    }),
    admission: storeAdmission(store, workspaceId, {
      room: origin.max_starting,
      memory_reserve: origin.memory_reserve ?? DEFAULT_MEMORY_RESERVE,
    }),
    publisher,
    clock: systemClock,
    env,
    cell,
    servers: [selfServer(env), ...teamServer(origin.launch, paths)],
    lookedAt: () => lastLook(store),
    account: new StoreAccount({
      store,
      journal,
      launch: origin.launch,
      clock: systemClock,
      changed: () => runner.publish(),
    }),
  });
  const register = (): void => rows.setRunner(workspaceId, identify(process.pid) ?? null);
  register();
  let told = true;
  runner.begin();
  const following = setInterval(
    () =>
      onSoundGround(() => {
        capFile(paths.runnerLog);
        if (store.reopenIfReplaced()) told = false;
        if (told) return;
        register();
        publisher.forget();
        runner.publish();
        told = true;
      }),
    STORE_LOOK_MS,
  );
  servers.push(
    await serveRunner(runner, paths.socket, row.key),
    await serveSelf(runner, {
      socket: paths.selfSocket,
      agent_name: row.name,
      record: (call) => onSoundGround(() => ledger.record(call)),
    }),
  );
  const team = await startTeamServer(home, origin.launch, paths);
  process.stdout.write('ready\n');
  await runner.run();
  clearInterval(following);
  team?.kill();
  for (const server of servers) {
    server.close();
    server.closeIdleConnections();
  }
  rows.setRunner(workspaceId, null);
}

/** What is no part of the agent's truth waits for better ground, or is lost: the agent goes on. */
function onSoundGround(work: () => void): void {
  try {
    work();
  } catch (thrown) {
    if (toFleetError(thrown).code !== 'SERVICE_UNAVAILABLE') throw thrown;
    console.error(thrown instanceof Error ? thrown.message : thrown);
  }
}

function lastLook(store: Store): number {
  try {
    return new Looks(store).last();
  } catch {
    return 0;
  }
}

/** Nothing that is done without a journal would be remembered. The kernel, or whoever looks next, ends the task. */
function giveUp(servers: readonly Server[]): void {
  for (const server of servers) server.close();
  setTimeout(() => process.exit(1), LAST_ANSWERS_MS);
}

function driverOf(kind: string): Driver {
  const driver = DRIVERS.find((each) => each.kind === kind);
  if (driver === undefined) throw new Error(`this version has no driver for agents of kind "${kind}"`);
  return driver;
}

/** By which an agent that speaks MCP speaks of itself. */
function selfServer(env: Readonly<Record<string, string>>): InjectedServer {
  const own = Object.entries(env).filter(([name]) => name === 'PATH' || name.startsWith('FLEET_'));
  return {
    name: SELF_SERVER,
    command: [process.execPath, programFile('runner/self-mcp-main')],
    env: Object.fromEntries(own),
  };
}

function agentEnvironment({ launch }: Origin, paths: AgentPaths): Record<string, string> {
  installFleetCommand(paths.bin);
  return {
    ...launch.env,
    PATH: [paths.bin, launch.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin'].join(delimiter),
    FLEET_AGENT: launch.name,
    FLEET_ROLE: launch.role,
    FLEET_PROJECT: launch.project,
    FLEET_SPEC: variableText(launch.spec),
    FLEET_WORKSPACE_ID: launch.workspace_id,
    FLEET_SELF_SOCKET: paths.selfSocket,
  };
}
