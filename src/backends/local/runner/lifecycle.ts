import { setTimeout as delay } from 'node:timers/promises';
import { FleetError } from '../../../domain/values/errors.ts';
import type { Actor } from '../../../domain/principal.ts';
import { RunnerAbsent } from '../../../runner/api/http-runner-client.ts';
import type { Journal } from '../../../runner/journal/journal.ts';
import type { EndKind } from '../../../runner/runner-parts.ts';
import type { AgentRow } from '../records/agent-rows.ts';
import { withOwnedJournal, withRepairedJournal, awaitExit } from '../records/with-owned-journal.ts';
import type { LocalContext } from '../records/local-context.ts';
import { LocalRunnerClient } from './local-runner-client.ts';
import type { Origin } from '../records/origin.ts';
import { launchRunner } from './start-runner.ts';

/** The ladder of a task that will not end takes 10 s; a runner that takes longer is killed. */
const END_WAIT_MS = 15_000;
const ANSWER_AFTER_MS = 2_500;

/** Asks an agent to stop and answers when it has, or after a short while. */
export async function stopLocalAgent(context: LocalContext, row: AgentRow, by: Actor): Promise<void> {
  checkNotDeleting(row);
  const until = performance.now() + ANSWER_AFTER_MS;
  do {
    const asked = await endRunner(context, row, 'stop', by, (journal) => {
      const { phase } = journal.state();
      if (phase === 'stopped' || phase === 'canceled') return;
      journal.append(by, { kind: 'agent.stop_requested' }, { kind: 'agent.stopped' });
    });
    if (asked === 'journal') return;
    await goneBefore(context, row, until);
    // A runner that left for another reason, to sleep or to be restarted, leaves an agent that is not stopped yet.
  } while (performance.now() < until && !isStopped(context, row));
}

/** Ends the agent's runner, then starts a new one with a fresh environment. The queue is kept. */
export async function restartLocalAgent(
  context: LocalContext,
  row: AgentRow,
  { by, origin }: { readonly by: Actor; readonly origin: Origin },
): Promise<void> {
  checkNotDeleting(row);
  const asked = await endRunner(context, row, 'restart', by, (journal) => {
    journal.append(by, { kind: 'agent.restart_requested' });
  });
  if (asked !== 'journal') {
    const before = context.rows.byId(row.workspace_id) ?? row;
    await awaitExit(before, asked === 'runner' ? END_WAIT_MS : 0);
    await withRepairedJournal(context, before, (journal) => {
      if (journal.state().phase !== 'pending') journal.append(by, { kind: 'agent.restart_requested' });
    });
  }
  context.rows.setOrigin(row.workspace_id, origin);
  launchRunner(context, row.workspace_id);
}

/** By the live runner when there is one, else on the journal itself. */
async function endRunner(
  context: LocalContext,
  row: AgentRow,
  kind: EndKind,
  by: Actor,
  alone: (journal: Journal) => void,
): Promise<'runner' | 'journal' | 'nobody'> {
  for (let tries = 0; tries < 100; tries++) {
    try {
      await new LocalRunnerClient(context, row).call('end', { kind, by });
      return 'runner';
    } catch (thrown) {
      const reason = thrown instanceof FleetError ? thrown.details.reason : undefined;
      // One that is leaving, or has just left, was asked before; one that is silent cannot be asked.
      if (reason === 'runner_silent' || reason === 'runner_leaving' || reason === 'runner_cut_off')
        return 'runner';
      // One of a version that shares no API with this one, or whose journal is damaged, can only be replaced.
      if ((reason === 'runner_api' || reason === 'journal_corrupt') && kind === 'restart') return 'nobody';
      if (!(thrown instanceof RunnerAbsent)) throw thrown;
      const hold = kind === 'restart' ? withRepairedJournal : withOwnedJournal;
      if ((await hold(context, row, alone)) !== undefined) return 'journal';
    }
  }
  throw new FleetError(
    'SERVICE_UNAVAILABLE',
    `The runner of agent "${row.name}" could not be reached. Try again.`,
    {
      reason: 'runner_unreachable',
    },
  );
}

async function goneBefore(context: LocalContext, row: AgentRow, until: number): Promise<void> {
  while (performance.now() < until && (context.rows.byId(row.workspace_id)?.runner ?? null) !== null)
    await delay(15);
}

function isStopped({ rows }: LocalContext, row: AgentRow): boolean {
  const phase = rows.byId(row.workspace_id)?.summary?.state.phase;
  return phase === 'stopped' || phase === 'canceled';
}

function checkNotDeleting({ tombstone, name }: AgentRow): void {
  if (tombstone === null) return;
  throw new FleetError('CONFLICT', `The agent "${name}" is being deleted.`, { reason: 'agent_deleting' });
}
