import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { FLEET_ACTOR } from '../domain/principal.ts';
import { appendPatiently } from './append-patiently.ts';
import type { DriverSession, TaskOutcome } from './driver.ts';
import type { Herald } from './herald.ts';
import type { Interruption } from './interruption.ts';
import type { Journal } from './journal.ts';
import type { LogWriter } from './log-writer.ts';
import type { MetadataKeeper } from './metadata/metadata-keeper.ts';
import type { Ending } from './runner-parts.ts';
import type { TaskDesk } from './task-desk.ts';

export interface TaskRunParts {
  readonly journal: Journal;
  readonly desk: TaskDesk;
  readonly log: LogWriter;
  readonly herald: Herald;
  readonly metadata: MetadataKeeper;
  lookAtGit(): Promise<void>;
  /** How the runner was asked to end, if it was. */
  ending(): Ending | undefined;
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
    const { journal, desk, log, herald, metadata } = this.#parts;
    const { message } = desk.row(id);
    const abort = new AbortController();
    this.#running = abort;
    const resumed = journal.state().running?.id === id;
    if (!resumed) log.write('INFO', 'input', message);
    await appendPatiently(journal, () => {
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
    herald.publish();
    const outcome = await session.run({ id, message, resumed }, abort.signal).catch((thrown: unknown) => ({
      state: 'failed' as const,
      reason: thrown instanceof Error ? thrown.message : String(thrown),
    }));
    this.#running = undefined;
    const end = this.#endOf(outcome);
    if (end.state !== 'complete') log.write(end.state === 'failed' ? 'ERROR' : 'WARN', 'system', end.reason);
    log.settle();
    await appendPatiently(journal, () => ({
      by: end.by,
      body: {
        kind: 'task.ended',
        task_id: id,
        state: end.state,
        reason: end.reason,
        ...('exit_code' in outcome && outcome.exit_code !== undefined
          ? { exit_code: outcome.exit_code }
          : {}),
      },
    }));
    // What could not be written while the end could not.
    log.settle();
    // Whoever waits for a cancel is answered before git is started, which takes a while.
    await nextTurn();
    // The fleet hears of the end when it can hear of what became of the branch.
    await Promise.race([this.#parts.lookAtGit(), delay(GIT_LIMIT_MS, undefined, { ref: false })]);
    herald.publish();
    void metadata.collect();
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
