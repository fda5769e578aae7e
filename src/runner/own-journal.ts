import { join } from 'node:path';
import type { Clock } from '../domain/clock.ts';
import { FleetError } from '../domain/values/errors.ts';
import type { Launch } from '../domain/launch.ts';
import { FLEET_ACTOR } from '../domain/principal.ts';
import type { AgentState, RunningTask } from '../domain/state.ts';
import { takeLeaseWhile, type Lease } from '../platform/database/lease.ts';
import { sweepRun } from '../platform/processes/process-tree.ts';
import { checksMarker } from './checks/checker.ts';
import { Journal } from './journal/journal.ts';
import { metadataMarker } from './programs/metadata-place.ts';

export interface OwnOptions {
  readonly directory: string;
  readonly workspace_id: string;
  readonly clock: Clock;
  /** Whether to go on waiting for a lease that somebody else holds. */
  readonly waitFor: () => boolean;
  /** Looks at the journal before anything else is done with it; throws when it cannot be used. */
  readonly check?: (journal: Journal) => void;
  /** Puts a journal in the place of one that is damaged. */
  readonly repair?: (file: string) => void;
}

export interface OwnedJournal extends Disposable {
  readonly journal: Journal;
}

export const JOURNAL_FILE = 'journal.db';
const RESUME_LIMIT = 3;
const LEASE_FILE = 'lease.db';

/** Takes an agent's journal into this process's hands. What a dead runner left is swept and its end recorded first. */
export async function ownJournal(options: OwnOptions): Promise<OwnedJournal | undefined> {
  const lease = await takeLeaseWhile(join(options.directory, LEASE_FILE), options.waitFor);
  if (lease === undefined) return undefined;
  try {
    const { journal, repaired } = openJournal(options);
    try {
      // What is left of a damaged journal may not know of the task that it was in.
      if (repaired) await sweepAll(options.workspace_id);
      await recover(journal, options.workspace_id);
    } catch (thrown) {
      journal[Symbol.dispose]();
      throw thrown;
    }
    return owned(journal, lease);
  } catch (thrown) {
    lease.release();
    throw thrown;
  }
}

function openJournal(options: OwnOptions): { journal: Journal; repaired: boolean } {
  const file = join(options.directory, JOURNAL_FILE);
  try {
    return { journal: checkedJournal(file, options), repaired: false };
  } catch (thrown) {
    const damaged = thrown instanceof FleetError && thrown.details.reason === 'journal_corrupt';
    if (!damaged || options.repair === undefined) throw thrown;
    options.repair(file);
    return { journal: checkedJournal(file, options), repaired: true };
  }
}

function checkedJournal(file: string, { clock, check }: OwnOptions): Journal {
  const journal = new Journal(file, clock);
  try {
    check?.(journal);
    return journal;
  } catch (thrown) {
    journal[Symbol.dispose]();
    throw thrown;
  }
}

/** The lease is free and yet the facts say that somebody runs the agent: that runner is dead. */
async function recover(journal: Journal, workspaceId: string): Promise<void> {
  const state = journal.state();
  if (!state.attended) return;
  await sweepAll(workspaceId);
  for (const { id } of state.approvals)
    journal.append(FLEET_ACTOR, { kind: 'approval.closed', approval_id: id, reason: 'its agent is gone' });
  for (const { id } of state.calls)
    journal.append(FLEET_ACTOR, { kind: 'tool.ended', call_id: id, state: 'unknown' });
  if (state.running !== null && !goesOn(state, journal.launch())) endTask(journal, state.running);
  journal.append(FLEET_ACTOR, { kind: 'runner.lost', generation: state.generation });
}

async function sweepAll(workspaceId: string): Promise<void> {
  await sweepRun(workspaceId);
  await sweepRun(metadataMarker(workspaceId));
  await sweepRun(checksMarker(workspaceId));
}

function endTask(journal: Journal, { id, cancel_requested }: RunningTask): void {
  const canceled = cancel_requested || journal.state().phase === 'deleting';
  journal.append(FLEET_ACTOR, {
    kind: 'task.ended',
    task_id: id,
    state: canceled ? 'canceled' : 'interrupted',
    reason: `the runner died while the task was running`,
  });
}

/** A task of an agent with a session goes on in it, where its role says so; not for ever. */
function goesOn({ running, session, phase }: AgentState, launch: Launch | undefined): boolean {
  return (
    running !== null &&
    launch?.on_crash === 'resume' &&
    session !== null &&
    phase === 'ready' &&
    !running.cancel_requested &&
    running.resumed < RESUME_LIMIT
  );
}

function owned(journal: Journal, lease: Lease): OwnedJournal {
  return {
    journal,
    [Symbol.dispose]() {
      journal[Symbol.dispose]();
      lease.release();
    },
  };
}
