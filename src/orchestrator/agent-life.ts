import { agentError } from './agent-error.ts';
import type { ToolAgentState } from './tool-agent.ts';

export interface LifeSteps {
  readonly id: string;
  initialize(): Promise<void>;
  shutdown(): Promise<void>;
}

/** The states of a tool agent: initialized, running from its first call on, stopped, and initialized again. */
export class AgentLife {
  readonly #steps: LifeSteps;
  #state: ToolAgentState = 'stopped';

  constructor(steps: LifeSteps) {
    this.#steps = steps;
  }

  get state(): ToolAgentState {
    return this.#state;
  }

  async initialize(): Promise<void> {
    if (this.#state !== 'stopped') return;
    const { id } = this.#steps;
    try {
      await this.#steps.initialize();
    } catch (cause) {
      throw agentError(
        'AGENT_INIT_FAILED',
        `The tool agent "${id}" could not be initialized: ${textOf(cause)}.`,
        {
          agent: id,
          cause,
        },
      );
    }
    this.#state = 'initialized';
  }

  /** Before each call. */
  run(): void {
    if (this.#state === 'stopped') {
      const { id } = this.#steps;
      throw agentError('AGENT_UNAVAILABLE', `The tool agent "${id}" is stopped. Initialize it first.`, {
        agent: id,
      });
    }
    this.#state = 'running';
  }

  async shutdown(): Promise<void> {
    if (this.#state === 'stopped') return;
    this.#state = 'stopped';
    const { id } = this.#steps;
    try {
      await this.#steps.shutdown();
    } catch (cause) {
      throw agentError(
        'AGENT_SHUTDOWN_FAILED',
        `The tool agent "${id}" did not shut down: ${textOf(cause)}.`,
        {
          agent: id,
          cause,
        },
      );
    }
  }
}

function textOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
