import { agentError } from '../servers/agent-error.ts';
import type { ToolAgentState } from './tool-agent.ts';

/** The states of a tool agent: initialized, running from its first call on, stopped, and initialized again. */
export class AgentLife {
  #state: ToolAgentState = 'stopped';

  get state(): ToolAgentState {
    return this.#state;
  }

  initialize(): void {
    if (this.#state === 'stopped') this.#state = 'initialized';
  }

  /** Before each call of the tool agent with this id. */
  run(id: string): void {
    if (this.#state === 'stopped') {
      throw agentError('AGENT_UNAVAILABLE', `The tool agent "${id}" is stopped. Initialize it first.`, {
        agent: id,
      });
    }
    this.#state = 'running';
  }

  shutdown(): void {
    this.#state = 'stopped';
  }
}
