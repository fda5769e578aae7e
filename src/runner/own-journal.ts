import { join } from 'node:path';
import type { Clock } from '../domain/clock.ts';
import { FLEET_ACTOR } from '../domain/principal.ts';
import { takeLeaseWhile, type Lease } from '../platform/lease.ts';
import { sweepRun } from '../platform/process-tree.ts';
import { Journal } from './journal.ts';

export interface OwnOptions {
  readonly directory: string;
  readonly workspace_id: string;
  readonly clock: Clock;
  /** Whether to go on waiting for a lease that somebody else holds. */
  readonly waitFor: () => boolean;
}

export interface OwnedJournal extends Disposable {
  readonly journal: Journal;
}

export const JOURNAL_FILE = 'journal.db';
const LEASE_FILE = 'lease.db';

/** Takes an agent's journal into this process's hands. What a dead runner left is swept and its end recorded first. */
export async function ownJournal(options: OwnOptions): Promise<OwnedJournal | undefined> {
  const lease = await takeLeaseWhile(join(options.directory, LEASE_FILE), options.waitFor);
  if (lease === undefined) return undefined;
  try {
    const journal = new Journal(join(options.directory, JOURNAL_FILE), options.clock);
    await recover(journal, options.workspace_id);
    return owned(journal, lease);
  } catch (thrown) {
    lease.release();
    throw thrown;
  }
}

/** The lease is free and yet the facts say that somebody runs the agent: that runner is dead. */
async function recover(journal: Journal, workspaceId: string): Promise<void> {
  const state = journal.state();
  if (!state.attended) return;
  await sweepRun(workspaceId);
  const { running, approvals } = state;
  for (const { id } of approvals)
    journal.append(FLEET_ACTOR, { kind: 'approval.closed', approval_id: id, reason: 'its agent is gone' });
  if (running !== null) {
    const canceled = running.cancel_requested || state.phase === 'deleting';
    journal.append(FLEET_ACTOR, {
      kind: 'task.ended',
      task_id: running.id,
      state: canceled ? 'canceled' : 'interrupted',
      reason: `the runner died while the task was running`,
    });
  }
  journal.append(FLEET_ACTOR, { kind: 'runner.lost', generation: state.generation });
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
