import { FleetError } from '../domain/values/errors.ts';
import { agentError } from './servers/agent-error.ts';
import type { Orchestrator } from './orchestrator.ts';
import { RegistryAgent } from './tool-agents/registry-agent.ts';
import { loadToolModule } from './tool-agents/tool-module.ts';

/** The user's modules with tools, as the configuration names them now. A module that cannot be used does not hold up the
 *  others: calls of its tools fail with the reason. */
export class ToolModules {
  readonly #orchestrator: Orchestrator;
  readonly #loaded = new Map<string, string>();

  constructor(orchestrator: Orchestrator) {
    this.#orchestrator = orchestrator;
  }

  /** Rejects with the first problem, once all that can be used are. */
  async declare(files: Readonly<Record<string, string>>): Promise<void> {
    this.#orchestrator.failures.clear();
    for (const [name, file] of this.#loaded) {
      if (files[name] === file) continue;
      this.#loaded.delete(name);
      await this.#orchestrator.unregister(name);
    }
    const added = Object.entries(files).filter(([name]) => !this.#loaded.has(name));
    await Promise.all(added.map(([name, file]) => this.#load(name, file)));
    for (const failure of this.#orchestrator.failures.values()) throw failure;
  }

  async #load(name: string, file: string): Promise<void> {
    try {
      await this.#orchestrator.register(new RegistryAgent(await loadToolModule(name, file)));
      this.#loaded.set(name, file);
    } catch (thrown) {
      this.#orchestrator.failures.set(name, initFailure(name, thrown));
    }
  }
}

function initFailure(name: string, thrown: unknown): FleetError {
  if (thrown instanceof FleetError && thrown.details['reason'] === 'AGENT_INIT_FAILED') return thrown;
  const why = thrown instanceof Error ? thrown.message : String(thrown);
  return agentError('AGENT_INIT_FAILED', `The tool module "${name}" cannot be used: ${why}`, {
    agent: name,
    cause: thrown,
  });
}
