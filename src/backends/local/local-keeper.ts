import { FLEET_ACTOR } from '../../domain/principal.ts';
import { isAlive } from '../../platform/process-identity.ts';
import type { AgentRow } from './agent-rows.ts';
import { deleteLocalAgent } from './delete-agent.ts';
import type { LocalContext } from './local-context.ts';
import { LocalRunnerClient } from './local-runner-client.ts';
import { startRunner } from './start-runner.ts';

const PING_EVERY_MS = 20_000;

/** Does what somebody has to do now and then: finishes deletions that were cut off, starts the runners of agents that
 *  wait for one, and notes which runners do not answer. */
export class LocalKeeper {
  readonly #context: LocalContext;
  readonly #pinged = new Map<string, number>();

  constructor(context: LocalContext) {
    this.#context = context;
  }

  /** One agent that cannot be helped keeps no other waiting; what was met first is thrown at the end. */
  async keep(signal: AbortSignal): Promise<void> {
    const problems: unknown[] = [];
    for (const row of this.#context.rows.all()) {
      if (signal.aborted) return;
      await this.#keepOne(row, signal).catch((thrown: unknown) => problems.push(thrown));
    }
    if (problems.length > 0) throw problems[0];
  }

  async #keepOne(row: AgentRow, signal: AbortSignal): Promise<void> {
    if (row.runner !== null) this.#pingNowAndThen(row);
    else if (row.tombstone !== null) await this.#finishDeletion(row, signal);
    else if ((row.summary?.state.phase ?? 'pending') === 'pending')
      await startRunner(this.#context, row.workspace_id);
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
