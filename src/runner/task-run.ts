import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { FLEET_ACTOR } from '../domain/principal.ts';
import type { Redact } from '../domain/values/redact.ts';
import { firstBytes, RESULT_BYTES } from '../domain/task-result.ts';
import { appendWithRetry } from './journal/append-with-retry.ts';
import type { DriverSession, TaskOutcome } from './programs/driver.ts';
import type { GitLooks } from './git-looks.ts';
import type { StatePublisher } from './state-publisher.ts';
import type { Interruption } from './programs/interruption.ts';
import type { Journal } from './journal/journal.ts';
import type { LogWriter } from './journal/log-writer.ts';
import type { MetadataKeeper } from './metadata/metadata-keeper.ts';
import type { Ending } from './runner-parts.ts';
import type { TaskCommands } from './task-commands.ts';
import type { Workspace } from './workspace.ts';

export interface TaskRunParts {
  readonly journal: Journal;
  readonly commands: TaskCommands;
  readonly log: LogWriter;
  readonly statePublisher: StatePublisher;
  readonly metadata: MetadataKeeper;
  readonly git: GitLooks;
  readonly workspace: Workspace;
  /** How the runner was asked to end, if it was. */
  ending(): Ending | undefined;
  readonly redact: Redact;
  /** Called when a task is complete and its work is safe. */
  completed(): void;
}

const GIT_LIMIT_MS = 2_000;

/** Runs tasks, one at a time, and writes down how each began and ended. */
export class TaskRun {
  readonly #parts: TaskRunParts;
  #running: AbortController | undefined;

  constructor(parts: TaskRunParts) {
    this.#parts = parts;
  }

  interrupt(reason: Interruption): void {
    this.#running?.abort(reason);
  }

  async run(session: DriverSession, id: string): Promise<void> {
    const { journal, commands, log, statePublisher, metadata } = this.#parts;
    const { message } = commands.row(id);
    const abort = new AbortController();
    this.#running = abort;
    const resumed = journal.state().running?.id === id;
    if (!resumed) log.write('INFO', 'input', message, JSON.stringify({ of: 'task', task_id: id }));
    await appendWithRetry(journal, () => {
      if (resumed) return { by: FLEET_ACTOR, body: { kind: 'task.resumed', task_id: id } };
      return journal.state().queue.includes(id)
        ? { by: FLEET_ACTOR, body: { kind: 'task.started', task_id: id, message } }
        : undefined;
    });
    if (journal.state().running?.id !== id) {
      // It was canceled before that could be written.
      this.#running = undefined;
      return;
    }
    using _watch = this.#parts.git.watch();
    const outcome = await session
      .run({ id, message, resumed }, abort.signal)
      .catch((thrown: unknown): TaskOutcome => {
        return { state: 'failed', reason: thrown instanceof Error ? thrown.message : String(thrown) };
      });
    this.#running = undefined;
    const end = this.#endOf(outcome);
    const reason = this.#parts.redact(end.reason);
    if (end.state !== 'complete') log.write(end.state === 'failed' ? 'ERROR' : 'WARN', 'system', reason);
    log.settle();
    {
      // The end is published when the work is safe, and the next task can begin at once.
      using _held = statePublisher.hold();
      await appendWithRetry(journal, () => ({
        by: end.by,
        body: {
          kind: 'task.ended',
          task_id: id,
          state: end.state,
          reason,
          ...detailsOf(outcome, this.#parts.redact),
        },
      }));
      // What could not be written while the end could not.
      log.settle();
      // A caller that waits for a cancel is answered before git is started, which takes a while.
      await nextTurn();
      const kept = this.#parts.git.look().then(() => this.#checkpoint(id));
      if (end.state === 'complete') void kept.then(() => this.#parts.completed());
      await Promise.race([kept, delay(GIT_LIMIT_MS, undefined, { ref: false })]);
    }
    void metadata.collect();
  }

  /** An agent that is being deleted is kept as it is. */
  async #checkpoint(id: string): Promise<void> {
    const { workspace, log, ending, statePublisher } = this.#parts;
    if (workspace.checkpoint === undefined || ending()?.kind === 'delete') return;
    try {
      const made = await workspace.checkpoint(id);
      if (made === null) return;
      statePublisher.publishCheckpoint(made);
      const left = made.left_out;
      if (left.length > 0) log.write('WARN', 'system', `too large for a checkpoint: ${left.join(', ')}`);
    } catch (thrown) {
      const why = thrown instanceof Error ? thrown.message : String(thrown);
      log.write('WARN', 'system', `no checkpoint was made of the work of this task: ${why}`);
    }
  }

  /** How a task ended: by its own outcome, unless somebody asked for its end. */
  #endOf(outcome: TaskOutcome) {
    const asked = this.#parts.ending();
    const cancel = this.#parts.journal.state().running?.cancel_requested === true;
    if (asked?.kind === 'delete') {
      return { state: 'canceled', reason: 'the agent was deleted', by: asked.by } as const;
    }
    if (cancel) return { state: 'canceled', reason: 'canceled on request', by: FLEET_ACTOR } as const;
    if (asked !== undefined) {
      const { kind, by } = asked;
      return {
        state: 'interrupted',
        reason: `interrupted: ${kind} was asked for by ${by.principal}`,
        by,
      } as const;
    }
    return { ...outcome, by: FLEET_ACTOR };
  }
}

function detailsOf({ exit_code, output, over_budget }: TaskOutcome, redact: Redact) {
  return {
    ...(exit_code === undefined ? {} : { exit_code }),
    ...(output === undefined || output === '' ? {} : { output: firstBytes(redact(output), RESULT_BYTES) }),
    ...(over_budget === undefined ? {} : { over_budget }),
  };
}
