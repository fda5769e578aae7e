import { FLEET_ACTOR } from '../../domain/principal.ts';
import { isAlive } from '../../platform/processes/process-identity.ts';
import type { AgentRow } from './records/agent-rows.ts';
import { deleteLocalAgent } from './kept/delete-agent.ts';
import type { LocalContext } from './records/local-context.ts';
import { LocalRunnerClient } from './runner/local-runner-client.ts';
import { startRunner } from './runner/start-runner.ts';

const PING_EVERY_MS = 20_000;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;

/** Does what somebody has to do now and then: finishes deletions that were cut off, starts the runners of agents that
 *  wait for one, and notes which runners do not answer. */
export class LocalKeeper {
  readonly #context: LocalContext;
  readonly #pinged = new Map<string, number>();
  readonly #failures = new Map<string, { readonly wait_ms: number; readonly again_at: number }>();

  constructor(context: LocalContext) {
    this.#context = context;
  }

  /** What goes wrong with one agent keeps no other waiting; the first problem is thrown when all were looked at. */
  async keep(signal: AbortSignal): Promise<void> {
    const problems: unknown[] = [];
    for (const row of this.#context.rows.all()) {
      if (signal.aborted) return;
      if (!this.#isDue(row)) continue;
      try {
        await this.#keepOne(row, signal);
        this.#failures.delete(row.workspace_id);
      } catch (thrown) {
        problems.push(thrown);
        this.#noteFailure(row);
      }
    }
    if (problems.length > 0) throw problems[0];
  }

  async #keepOne(row: AgentRow, signal: AbortSignal): Promise<void> {
    if (row.runner !== null) this.#pingNowAndThen(row);
    else if (row.tombstone !== null) await this.#finishDeletion(row, signal);
    else if ((row.summary?.state.phase ?? 'pending') === 'pending')
      await startRunner(this.#context, row.workspace_id);
  }

  #isDue({ workspace_id }: AgentRow): boolean {
    return performance.now() >= (this.#failures.get(workspace_id)?.again_at ?? 0);
  }

  /** What failed is tried again, less and less often. */
  #noteFailure({ workspace_id }: AgentRow): void {
    const wait_ms = Math.min(
      2 * (this.#failures.get(workspace_id)?.wait_ms ?? FIRST_WAIT_MS),
      LONGEST_WAIT_MS,
    );
    this.#failures.set(workspace_id, { wait_ms, again_at: performance.now() + wait_ms });
  }

  async #finishDeletion(row: AgentRow, signal: AbortSignal): Promise<void> {
    if (row.tombstone === null) return;
    const { by, discard_work, deleter } = row.tombstone;
    if (deleter !== null && isAlive(deleter)) return;
    await deleteLocalAgent(this.#context, row, { by, discard_work, signal, progress: () => {} });
  }

  /** The client itself notes in the store whether a live runner answered. */
  #pingNowAndThen(row: AgentRow): void {
    const now = performance.now();
    if (now - (this.#pinged.get(row.workspace_id) ?? -PING_EVERY_MS) < PING_EVERY_MS) return;
    this.#pinged.set(row.workspace_id, now);
    if (row.runner === null || !isAlive(row.runner)) return;
    new LocalRunnerClient(this.#context, row).call('ping', { by: FLEET_ACTOR }).catch(() => {});
  }
}
