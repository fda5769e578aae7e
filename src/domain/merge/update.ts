import { FleetError } from '../values/errors.ts';

/** `base`: only the agent's copy of its base is brought up to date, and its branch stays. */
export const UPDATE_STRATEGIES = ['merge', 'rebase', 'base'] as const;
export type UpdateStrategy = (typeof UPDATE_STRATEGIES)[number];

export interface Updated {
  /** The tip of the agent's branch afterwards. */
  readonly head: string;
  readonly message: string;
}

/** An update that cannot be done now. The agent's branch was not changed. */
export function updateConflict(
  reason: 'busy' | 'uncommitted' | 'conflicts' | 'no_common_commit' | 'base_reverts' | 'head_moved',
  message: string,
  details: Readonly<Record<string, unknown>> = {},
): FleetError {
  return new FleetError('CONFLICT', message, { reason, ...details });
}
