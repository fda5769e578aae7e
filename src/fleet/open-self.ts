import { SelfBackend } from '../backends/self/self-backend.ts';
import { FleetError } from '../domain/values/errors.ts';
import type { Caller } from '../domain/principal.ts';
import { systemClock } from '../platform/clock.ts';
import { Fleet } from './fleet.ts';

/** The fleet from inside an agent, and the agent as the one who asks. */
export function openSelf(env: NodeJS.ProcessEnv): { fleet: Fleet; caller: Caller } {
  const socket = env['FLEET_SELF_SOCKET'];
  const agent_name = env['FLEET_AGENT'];
  if (socket === undefined || agent_name === undefined) {
    throw new FleetError(
      'FORBIDDEN',
      'This is for an agent, from inside its task: FLEET_SELF_SOCKET and FLEET_AGENT are not set.',
    );
  }
  return {
    fleet: new Fleet({ backends: [new SelfBackend(socket, agent_name)], clock: systemClock }),
    caller: {
      principal: { kind: 'agent', name: agent_name },
      door: 'self',
      source: 'agent',
      scopes: new Set(['self']),
      self: { agent_name },
    },
  };
}
