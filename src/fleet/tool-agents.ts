import type { Caller } from '../domain/principal.ts';
import type { ToolAgentView } from '../domain/tool-agent-view.ts';

type List = (caller: Caller) => Promise<readonly ToolAgentView[]>;

/** The tool agents beside a fleet. The orchestrator, which is a layer above, provides them while it is open; without it
 *  there are none. */
export class ToolAgents {
  #list: List = async () => [];

  provide(list: List): void {
    this.#list = list;
  }

  /** Those that the caller's view shows, each with its health now. */
  list(caller: Caller): Promise<readonly ToolAgentView[]> {
    return this.#list(caller);
  }
}
