import { FleetError } from '../values/errors.ts';

export type PublishProblem =
  | 'busy'
  | 'not_fast_forward'
  | 'protected'
  | 'rejected'
  | 'needs_lfs'
  | 'workflows_changed'
  | 'nothing_to_publish';

/** Work that cannot be published now. Nothing was changed. */
export function publishConflict(
  reason: PublishProblem,
  message: string,
  details: Readonly<Record<string, unknown>> = {},
): FleetError {
  return new FleetError('CONFLICT', message, { reason, ...details });
}
