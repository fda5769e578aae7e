import type { Launch } from '../../../domain/launch.ts';
import { mayRunCommands } from '../../../domain/may-run-commands.ts';
import type { AgentRecord } from '../../backend.ts';
import type { Merging } from '../../merging.ts';

export interface ForecastWatchParts {
  merging(): Promise<Merging>;
  /** The names of the projects whose forecast is made again by itself. */
  forecasts(): Promise<readonly string[]>;
  headsOf(agents: readonly AgentRecord[]): Promise<string>;
  launchOf(agent: AgentRecord): Launch | undefined;
}

const MOST_OFTEN_MS = 60_000;
/** The checks go on in a process of their own, and nobody waits for them here. */
const NOT_WAITING = { signal: AbortSignal.abort(), progress: (): void => {} };

/** Makes the forecasts of projects again when their branches have moved: one at a time, and not often. */
export class ForecastWatch {
  readonly #parts: ForecastWatchParts;
  /** Where the branches of each project were at its last forecast. */
  readonly #made = new Map<string, string>();
  #all = '';
  #next_at = 0;

  constructor(parts: ForecastWatchParts) {
    this.#parts = parts;
  }

  /** `heads` says where all branches are. */
  async look(agents: readonly AgentRecord[], heads: string): Promise<void> {
    if (performance.now() < this.#next_at) return;
    const projects = await this.#parts.forecasts();
    const all = JSON.stringify([projects, heads]);
    if (projects.length === 0 || all === this.#all) return;
    const merging = await this.#parts.merging();
    if (projects.some((project) => merging.lastForecast(project)?.state === 'running')) return;
    for (const project of projects) {
      const own = agents.filter((agent) => agent.project === project);
      const now = await this.#parts.headsOf(own);
      // Of a project without agents there is nothing to say.
      if ((this.#made.get(project) ?? '') === now) continue;
      // What cannot be forecast is tried again when a branch moves.
      this.#made.set(project, now);
      this.#next_at = performance.now() + MOST_OFTEN_MS;
      await merging.forecast({ project, ...this.#split(own), skip_checks: false }, NOT_WAITING);
      return;
    }
    this.#all = all;
  }

  /** An agent that may not run commands could gain a shell by what it commits. */
  #split(own: readonly AgentRecord[]) {
    const may = (agent: AgentRecord): boolean => {
      const launch = this.#parts.launchOf(agent);
      return launch !== undefined && mayRunCommands(launch);
    };
    return {
      agents: own.filter(may),
      left_out: own.filter((agent) => !may(agent)).map(({ name }) => name),
    };
  }
}
