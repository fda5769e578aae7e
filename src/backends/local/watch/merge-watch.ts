import { ConflictStore, type FoundConflict } from '../../../store/conflict-store.ts';
import type { AgentRecord } from '../../backend.ts';
import type { Merging } from '../../merging.ts';
import { agentsByBase, branchHeads, type AgentsOfBase } from '../merge/branches.ts';
import type { LocalContext } from '../records/local-context.ts';
import { ForecastWatch } from './forecast-watch.ts';

export interface MergeWatchParts {
  readonly context: LocalContext;
  agents(): Promise<readonly AgentRecord[]>;
  merging(): Promise<Merging>;
  /** The names of the projects whose forecast is made again by itself. */
  forecasts(): Promise<readonly string[]>;
}

interface Seen {
  readonly version: string;
  readonly agents: readonly AgentRecord[];
  readonly groups: readonly AgentsOfBase[];
}

/** What failed is tried again after this long. */
const AGAIN_AFTER_MS = 60_000;

/** Follows the branches of agents and their bases, and does what is due when one of them has moved. */
export class MergeWatch {
  readonly #parts: MergeWatchParts;
  readonly #forecasts: ForecastWatch;
  #heads: string | undefined;
  #seen: Seen | undefined;
  #again_at = 0;

  constructor(parts: MergeWatchParts) {
    this.#parts = parts;
    this.#forecasts = new ForecastWatch({
      ...parts,
      headsOf: async (agents) => branchHeads(await this.#byBase(agents)),
      launchOf: ({ workspace_id }) => parts.context.rows.origin(workspace_id)?.launch,
    });
  }

  /** Merges nothing while all branches are where they were. */
  async look(signal: AbortSignal): Promise<void> {
    if (performance.now() < this.#again_at) return;
    try {
      const { agents, groups } = await this.#look();
      const heads = await branchHeads(groups);
      if (signal.aborted) return;
      if (heads !== this.#heads) await this.#tellConflicts(agents);
      this.#heads = heads;
      await this.#forecasts.look(agents, heads);
    } catch (thrown) {
      this.#again_at = performance.now() + AGAIN_AFTER_MS;
      throw thrown;
    }
  }

  /** Agents are listed again only when the store has changed. */
  async #look(): Promise<Seen> {
    const version = this.#parts.context.store.version();
    if (this.#seen?.version !== version) {
      const agents = await this.#parts.agents();
      this.#seen = { version, agents, groups: await this.#byBase(agents) };
    }
    return this.#seen;
  }

  #byBase(agents: readonly AgentRecord[]): Promise<readonly AgentsOfBase[]> {
    const { home, rows } = this.#parts.context;
    return agentsByBase(
      home,
      agents.flatMap((agent) => {
        const origin = rows.origin(agent.workspace_id);
        return origin === undefined ? [] : [{ agent, origin }];
      }),
    );
  }

  async #tellConflicts(agents: readonly AgentRecord[]): Promise<void> {
    const { store, clock } = this.#parts.context;
    const byName = new Map(agents.map((agent) => [agent.name, agent]));
    const { conflicts } = await (await this.#parts.merging()).conflicts(agents);
    const found = conflicts.flatMap(({ agent, other, paths }): FoundConflict[] => {
      const [one, with_] = [byName.get(agent), other === null ? null : byName.get(other)];
      if (one === undefined || with_ === undefined) return [];
      return [{ workspace_id: one.workspace_id, agent_name: one.name, other: with_, paths }];
    });
    new ConflictStore(store).note(found, new Date(clock.now().at).toISOString());
  }
}
