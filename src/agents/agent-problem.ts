import { FleetError } from '../domain/errors.ts';
import { adapterOf } from './adapter-of.ts';
import type { CodingAgent } from './catalogue.ts';
import { isLoggedIn } from './is-logged-in.ts';

export interface AgentPlace {
  readonly home: string;
  /** What the agent would have, not what whoever asks has. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Why a coding agent cannot be used here; `details.command` is what mends it. */
export function agentProblem(agent: CodingAgent, { home, env }: AgentPlace): FleetError | undefined {
  if (adapterOf(agent.name, home) === undefined) {
    const command = `fleet agents install ${agent.name}`;
    return new FleetError(
      'SERVICE_UNAVAILABLE',
      `${agent.title} is not installed for this fleet. Install it: ${command}`,
      { reason: 'agent_not_installed', command },
    );
  }
  if (isLoggedIn(agent, env)) return undefined;
  const command = `fleet agents login ${agent.name}`;
  return new FleetError(
    'SERVICE_UNAVAILABLE',
    `${agent.title} is installed and not logged in. Log in: ${command} (or set ${agent.login?.variables[0] ?? ''})`,
    { reason: 'agent_not_logged_in', command },
  );
}
