import type { Actor, Source } from '../principal.ts';
import { errorOfBody, FleetError } from '../values/errors.ts';

export const LAND_STRATEGIES = ['merge', 'squash', 'rebase'] as const;
export type LandStrategy = (typeof LAND_STRATEGIES)[number];

export const UNCOMMITTED_CHOICES = ['refuse', 'include', 'leave'] as const;
export type UncommittedChoice = (typeof UNCOMMITTED_CHOICES)[number];

/** How an agent's work is landed. */
export interface LandOptions {
  /** The commit that was reviewed; undefined for whatever the branch is at. */
  readonly head?: string | undefined;
  /** The branch of the project that moves; undefined for the base of the agent. */
  readonly into?: string | undefined;
  readonly strategy: LandStrategy;
  readonly message?: string | undefined;
  readonly uncommitted: UncommittedChoice;
  readonly skip_checks: boolean;
}

/** What is done when a landing has ended, also when its caller is gone by then. */
export interface LandFollowUp {
  /** Conflicts and failing checks become a task of the agent. */
  readonly assign_to_agent: boolean;
  /** The agent is deleted when its work has landed. */
  readonly delete_after: boolean;
  readonly by: Actor;
  readonly source: Source;
}

/** A landing as it is stored. */
export interface Landing {
  readonly land_id: string;
  readonly workspace_id: string;
  readonly agent_name: string;
  readonly project: string;
  readonly options: LandOptions;
  readonly by: string;
  readonly created_at: string;
  readonly state: LandingState;
  /** The branch that moves; null until it is known. */
  readonly into: string | null;
  readonly before: string | null;
  readonly after: string | null;
  /** The commit of the agent that was landed. */
  readonly head: string | null;
  /** That commit, or one of uncommitted work on top of it. */
  readonly landed?: string;
  readonly message: string;
  /** Why it failed, as an error body. */
  readonly error: object | null;
  /** What is still to be done when it has ended; null when it is done, or nothing is. */
  readonly follow_up?: LandFollowUp | null;
}

/** How a landing was taken back. */
export interface LandUndone {
  readonly land_id: string;
  readonly into: string;
  readonly before: string;
  readonly after: string;
  readonly how: 'reset' | 'revert';
  readonly message: string;
}

/** Whether it has ended, and what follows it is done too. */
export function isOver({ state, follow_up }: Pick<Landing, 'state' | 'follow_up'>): boolean {
  return state !== 'running' && follow_up == null;
}

/** Whether its process died before it changed anything. */
export function wasInterrupted({ state, error }: Pick<Landing, 'state' | 'error'>): boolean {
  return state === 'failed' && errorOfBody(error)?.details['reason'] === 'interrupted';
}

/** `undone`: it was landed, and taken back since. */
export type LandingState = 'running' | 'landed' | 'failed' | 'undone';

export type LandProblem =
  | 'conflicts'
  | 'checks_failed'
  | 'uncommitted'
  | 'head_moved'
  | 'busy'
  | 'target_dirty'
  | 'target_busy'
  | 'target_moved'
  | 'not_fast_forward'
  | 'submodule_not_published'
  | 'needs_checkout'
  | 'nothing_to_land'
  | 'no_common_commit';

/** A landing that cannot be done now. Nothing was changed. */
export function landConflict(
  reason: LandProblem,
  message: string,
  details: Readonly<Record<string, unknown>> = {},
): FleetError {
  return new FleetError('CONFLICT', message, { reason, ...details });
}

const MOST_NAMED = 5;

/** Some of the paths, for a sentence. */
export function namedPaths(paths: readonly string[]): string {
  const shown = listedPaths(paths.slice(0, MOST_NAMED));
  return paths.length > MOST_NAMED ? `${shown} and ${paths.length - MOST_NAMED} more` : shown;
}

/** Paths as a part of a line: a name with a line break must not look like a line of its own. */
export function listedPaths(paths: readonly string[]): string {
  return paths.map((path) => (/\p{Cc}/u.test(path) ? JSON.stringify(path) : path)).join(', ');
}
