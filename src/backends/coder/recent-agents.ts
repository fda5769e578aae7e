import type { AgentRecord } from '../backend.ts';

/** A runner that is gone since then is noticed when it does not answer. */
const RECENT_MS = 30_000;

/** Agents whose runners answered a moment ago, by name. */
export class RecentAgents {
  readonly #seen = new Map<string, { readonly agent: AgentRecord; readonly at: number }>();

  set(agents: readonly AgentRecord[]): void {
    this.#seen.clear();
    for (const agent of agents) this.add(agent);
  }

  add(agent: AgentRecord): void {
    if (agent.state.phase === 'ready' && agent.observed.unreachable_since === undefined)
      this.#seen.set(agent.workspace_id, { agent, at: performance.now() });
    else this.forget(agent.workspace_id);
  }

  forget(workspaceId: string): void {
    this.#seen.delete(workspaceId);
  }

  of(name: string): AgentRecord | undefined {
    const wanted = name.toLowerCase();
    for (const { agent, at } of this.#seen.values())
      if (agent.name.toLowerCase() === wanted && performance.now() - at < RECENT_MS) return agent;
    return undefined;
  }
}
