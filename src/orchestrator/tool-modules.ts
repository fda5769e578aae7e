import type { Orchestrator } from './orchestrator.ts';
import { RegistryAgent } from './registry-agent.ts';
import { loadToolModule } from './tool-module.ts';

/** The user's modules with tools, as the configuration names them now. One that cannot be used holds up no other. */
export class ToolModules {
  readonly #orchestrator: Orchestrator;
  readonly #loaded = new Map<string, string>();

  constructor(orchestrator: Orchestrator) {
    this.#orchestrator = orchestrator;
  }

  /** Rejects with the first problem, once all that can be used are. */
  async declare(files: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, file] of this.#loaded) {
      if (files[name] === file) continue;
      this.#loaded.delete(name);
      await this.#orchestrator.unregister(name);
    }
    const added = Object.entries(files).filter(([name]) => !this.#loaded.has(name));
    const outcomes = await Promise.allSettled(added.map(([name, file]) => this.#load(name, file)));
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  }

  async #load(name: string, file: string): Promise<void> {
    await this.#orchestrator.register(new RegistryAgent(await loadToolModule(name, file)));
    this.#loaded.set(name, file);
  }
}
