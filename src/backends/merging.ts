import type { Conflict } from '../domain/merge/conflicts.ts';
import type { Forecast } from '../domain/merge/forecast.ts';
import type { LandFollowUp, Landing, LandOptions, LandUndone } from '../domain/merge/landing.ts';
import type { AgentRecord } from './backend.ts';

export interface LandRequest {
  /** Made by the caller: the same id lands once. */
  readonly land_id: string;
  readonly agent: AgentRecord;
  readonly options: LandOptions;
  readonly by: string;
  readonly follow_up: LandFollowUp | null;
}

export interface ForecastRequest {
  readonly project: string;
  readonly agents: readonly AgentRecord[];
  readonly skip_checks: boolean;
  /** Names of agents that are left out, and listed as such. */
  readonly left_out?: readonly string[];
}

interface Waiting {
  readonly signal: AbortSignal;
  progress(message: string): void;
}

/** The way from an agent's branch to a branch of its project, where the project's repository is on this machine. */
export interface Merging {
  /** Lands agents one after the other, each on top of the one before. Landings that take long are still running when it
   *  answers, and go on. A request that was made before, or that a running landing is for, gives the state of that one,
   *  unless it was interrupted: then it begins again. */
  land(requests: readonly LandRequest[], waiting: Waiting): Promise<readonly Landing[]>;
  landing(land_id: string): Landing | undefined;
  /** Waits for landings as `land` does. */
  landed(ids: readonly string[], waiting: Waiting): Promise<readonly Landing[]>;
  undo(land_id: string, waiting: Waiting): Promise<LandUndone>;
  conflicts(
    agents: readonly AgentRecord[],
  ): Promise<{ readonly conflicts: readonly Conflict[]; readonly left_out: readonly string[] }>;
  forecast(request: ForecastRequest, waiting: Waiting): Promise<Forecast>;
  /** The newest forecast of a project; undefined when there is none. */
  lastForecast(project: string): Forecast | undefined;
}
