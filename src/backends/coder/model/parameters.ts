import { FleetError } from '../../../domain/values/errors.ts';

/** The app of a workspace by which the fleet reaches its runner. */
export const FLEET_APP = 'fleet';

/** The parameters of a template that Fleet can drive with its own runner. What a role is comes from the presets. */
export const PARAMETERS = {
  managed: 'fleet_managed',
  agent_id: 'fleet_agent_id',
  task: 'ai_prompt',
  task_id: 'fleet_task_id',
  spec: 'fleet_spec',
  origin: 'fleet_origin',
  public_key: 'fleet_public_key',
} as const;

export const MANAGED = 'true';

/** One parameter is one variable in terraform's environment, and Linux takes 128 KiB for one. */
const PARAMETER_LIMIT = 126 * 1024;

export function checkParameterSize(field: string, value: string): void {
  const bytes = Buffer.byteLength(value);
  if (bytes <= PARAMETER_LIMIT) return;
  throw new FleetError(
    'INVALID_INPUT',
    `"${field}" has ${bytes} bytes; on Coder it travels as a parameter, which takes at most ${PARAMETER_LIMIT}. Put the rest into the repository, or into a later task.`,
    { field, reason: 'parameter_too_large' },
  );
}
