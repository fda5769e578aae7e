import type { Server } from 'node:http';
import { flushCompileCache } from 'node:module';
import { loginSecrets } from '../../../agents/login-of.ts';
import { DEFAULT_MEMORY_RESERVE } from '../../../domain/admission.ts';
import { toFleetError } from '../../../domain/values/errors.ts';
import { FLEET_ACTOR } from '../../../domain/principal.ts';
import { capFile } from '../../../platform/cap-file.ts';
import type { Cell } from '../../../platform/processes/cell.ts';
import { systemClock } from '../../../platform/clock.ts';
import { isSandboxed } from '../../../platform/processes/containment.ts';
import { identify } from '../../../platform/processes/process-identity.ts';
import { selfServer } from '../../../runner/drivers.ts';
import { ownJournal } from '../../../runner/own-journal.ts';
import { publishJournal } from '../../../runner/journal/publisher.ts';
import { serveRunner, serveSelf } from '../../../runner/runner-server.ts';
import { CallLedger } from '../../../store/call-ledger.ts';
import { Looks } from '../../../store/looks.ts';
import type { Store } from '../../../store/store.ts';
import { closeServers, makeRunner, runRunner } from '../../hosting/runner-process.ts';
import { localChecker } from '../checks/local-checker.ts';
import { storeAdmission } from '../records/admission.ts';
import { AgentRows, isDoubted } from '../records/agent-rows.ts';
import { ensureCreated, hasLiveRunner } from '../records/with-owned-journal.ts';
import { checkJournal } from '../records/check-journal.ts';
import { INSIDE } from '../workspace/inside.ts';
import type { LocalContext } from '../records/local-context.ts';
import { openStore } from '../records/open-store.ts';
import { agentCell } from '../workspace/agent-cell.ts';
import { agentVariables } from '../workspace/agent-variables.ts';
import { makeOwnState } from '../workspace/own-state.ts';
import { agentPaths, placeSockets } from '../records/paths.ts';
import { requireContainment } from '../records/require-containment.ts';
import { StorePublisher } from '../records/store-publisher.ts';
import { sshVariables } from '../workspace/ssh-variables.ts';
import { startTeamServer, teamServer } from '../workspace/team-server.ts';
import { agentDiff } from '../workspace/agent-diff.ts';
import { listCheckpoints } from '../workspace/list-checkpoints.ts';
import { finishUpdate } from '../update/interrupted-update.ts';
import { updateClone } from '../update/update-clone.ts';
import { LandingStore } from '../../../store/landing-store.ts';
import { localWorkspace } from '../workspace/local-workspace.ts';
import { agentWork, resolvedPlan } from '../workspace/agent-work-of.ts';

// The process beside one agent of this machine. All its code is loaded by the imports above: an upgrade under a running one
// does not break it.

const LEASE_WAIT_MS = 5_000;
const STORE_LOOK_MS = 500;
const LAST_ANSWERS_MS = 100;

const [home, workspaceId] = process.argv.slice(2);
if (home === undefined || workspaceId === undefined) throw new Error('usage: runner-main HOME WORKSPACE_ID');
// Its starter turned the cache on; a runner lives long, and the next one should not wait for its end to gain from it.
flushCompileCache();
process.stdout.on('error', () => {});
await runRunner(
  () => main(home, workspaceId),
  (error) => {
    process.stdout.write(`${JSON.stringify(error.toBody())}\n`);
  },
);

async function main(home: string, workspaceId: string): Promise<void> {
  using store = openStore(home);
  const rows = new AgentRows(store);
  const ledger = new CallLedger(store);
  const context: LocalContext = { home, store, rows, clock: systemClock };
  placeSockets(home, workspaceId);
  const paths = agentPaths(home, workspaceId);
  const until = performance.now() + LEASE_WAIT_MS;
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
    ignoreStorageFailure(() => rows.doubt(workspaceId));
    giveUp(servers);
  });
  ensureCreated(context, row, journal);
  if (!['pending', 'starting', 'ready'].includes(journal.state().phase)) return;
  journal.setLaunch(origin.launch, origin);

  const publisher = new StorePublisher(store, row);
  const contained = origin.launch.contained !== false;
  let cell: Cell | null;
  let { plan } = origin;
  const sandboxed = isSandboxed(contained);
  if (sandboxed) makeOwnState(origin.launch, paths, journal.state().session);
  try {
    if (contained) requireContainment(home);
    plan = await resolvedPlan(origin, paths);
    if (plan !== origin.plan) rows.setOrigin(workspaceId, { ...origin, plan });
    cell = contained ? await agentCell({ home, paths, plan, launch: origin.launch }) : null;
  } catch (thrown) {
    journal.append(FLEET_ACTOR, { kind: 'agent.start_failed', reason: toFleetError(thrown).message });
    publishJournal({ journal, publisher, clock: systemClock });
    throw thrown;
  }
  const ssh = sandboxed ? await sshVariables(plan) : {};
  const env = { ...ssh, ...agentVariables({ home, paths, sandboxed, launch: origin.launch }) };
  const of = { home, paths, plan, launch: origin.launch };
  const work = agentWork(of);
  const runner = makeRunner({
    store,
    journal,
    launch: origin.launch,
    workspace: {
      ...localWorkspace({
        plan,
        workspace_id: workspaceId,
        stateDirectory: paths.directory,
        env,
        cell,
        signs: origin.launch.ssh_agent !== undefined,
        work,
      }),
      diff: (request) => agentDiff(of, request),
      checkpoints: () => listCheckpoints(of),
      update: (strategy, told) =>
        updateClone({ of, work, landings: new LandingStore(store), env, cell, told }, strategy),
      finishUpdate: (told) =>
        finishUpdate({
          paths,
          plan,
          work,
          place: { directory: plan.directory, env, cell, workspace_id: workspaceId },
          told,
        }),
    },
    admission: storeAdmission(store, workspaceId, {
      room: origin.max_starting,
      memory_reserve: origin.memory_reserve ?? DEFAULT_MEMORY_RESERVE,
    }),
    publisher,
    env,
    cell,
    secrets: loginSecrets(origin.launch.agent, env),
    servers: [
      selfServer(env),
      ...teamServer(origin.launch, sandboxed ? INSIDE.teamSocket : paths.teamSocket),
    ],
    lookedAt: () => lastLook(store),
    checker: localChecker({ home, store, plan, launch: origin.launch }),
  });
  const register = (): void => rows.setRunner(workspaceId, identify(process.pid) ?? null);
  register();
  let told = true;
  runner.begin();
  const following = setInterval(
    () =>
      ignoreStorageFailure(() => {
        capFile(paths.runnerLog);
        if (store.reopenIfReplaced()) told = false;
        if (told) return;
        register();
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
      record: (call) => ignoreStorageFailure(() => ledger.record(call)),
    }),
  );
  const team = await startTeamServer(home, origin.launch, paths);
  process.stdout.write('ready\n');
  await runner.run();
  clearInterval(following);
  team?.kill();
  closeServers(servers);
  rows.setRunner(workspaceId, null);
}

/** Work that the journal does not depend on waits until the disk is usable again, or is lost: the agent goes on. */
function ignoreStorageFailure(work: () => void): void {
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

/** Nothing that is done without a journal would be remembered. The kernel, or the next process that looks, ends the task. */
function giveUp(servers: readonly Server[]): void {
  for (const server of servers) server.close();
  setTimeout(() => process.exit(1), LAST_ANSWERS_MS);
}
