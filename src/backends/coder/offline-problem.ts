import type { Clock } from '../../domain/clock.ts';
import { FleetError } from '../../domain/values/errors.ts';
import { deriveStatus, isOffline } from '../../domain/status.ts';
import type { AgentRecord } from '../backend.ts';

/** An agent that is starting will answer; one that is offline will not. */
export function offlineProblem({ name, state, observed }: AgentRecord, clock: Clock): FleetError | undefined {
  const { status, status_reason } = deriveStatus(state, observed, clock.now());
  if (!isOffline(status)) return undefined;
  return new FleetError(
    'INVALID_INPUT',
    `The agent "${name}" is offline (${status}: ${status_reason}) and accepts no task; its workspace cannot be reached. restart_agent starts it again.`,
    { reason: 'agent_offline' },
  );
}
