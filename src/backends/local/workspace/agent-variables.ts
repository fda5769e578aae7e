import { codingAgent } from '../../../agents/catalogue.ts';
import { fleetLogin } from '../../../agents/login-of.ts';
import type { Launch } from '../../../domain/launch.ts';
import { commonVariables } from '../../hosting/common-variables.ts';
import { outsidePlaces, ownPlaces } from './own-places.ts';
import { ownEnvironment } from './own-state.ts';
import type { AgentPaths } from '../records/paths.ts';

export interface VariableParts {
  readonly home: string;
  readonly launch: Launch;
  readonly paths: AgentPaths;
  readonly sandboxed: boolean;
}

/** The environment of an agent's programs. */
export function agentVariables({ home, launch, paths, sandboxed }: VariableParts): Record<string, string> {
  const own = sandboxed ? ownPlaces(home, launch, paths) : outsidePlaces(launch, paths);
  const given = sandboxed ? ownEnvironment(launch) : launch.env;
  const agent = codingAgent(launch.agent);
  return {
    ...own.defaults,
    // Read at each start, and kept nowhere else: a login that was removed is gone.
    ...(agent === undefined ? {} : fleetLogin(agent, { home, env: given, sandboxed })),
    ...given,
    ...commonVariables(launch, { bin: paths.bin, programs: own.programs }),
    ...own.fixed,
  };
}
