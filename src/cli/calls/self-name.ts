import { FleetError } from '../../domain/values/errors.ts';
import type { Session } from './run-operation.ts';

/** The agent that this command runs inside of. */
export function selfName({ caller }: Pick<Session, 'caller'>, what: string): string {
  if (caller.self !== undefined) return caller.self.agent_name;
  throw new FleetError(
    'INVALID_INPUT',
    `${what} works only inside an agent. Give the name of the agent instead.`,
    { field: 'agent_name' },
  );
}
