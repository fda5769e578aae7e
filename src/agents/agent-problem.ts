import { FleetError } from '../domain/values/errors.ts';
import { adapterOf } from './adapter-of.ts';
import type { CodingAgent } from './catalogue.ts';
import { loginOf } from './login-of.ts';

export interface AgentPlace {
  readonly home: string;
  /** What the agent would have, not what the caller has. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether the agent keeps its settings in a directory of its own, where the login of the user is not. */
  readonly sandboxed: boolean;
}

/** Why a coding agent cannot be used here; `details.command` fixes it. */
export function agentProblem(
  agent: CodingAgent,
  { home, env, sandboxed }: AgentPlace,
): FleetError | undefined {
  if (adapterOf(agent.name, home) === undefined) {
    const command = `fleet agents install ${agent.name}`;
    return new FleetError(
      'SERVICE_UNAVAILABLE',
      `${agent.title} is not installed for this fleet. Install it: ${command}`,
      { reason: 'agent_not_installed', command },
    );
  }
  if (loginOf(agent, { home, env, sandboxed }) !== undefined) return undefined;
  const command = `fleet agents login ${agent.name}`;
  return new FleetError(
    'SERVICE_UNAVAILABLE',
    `${agent.title} is installed but not logged in. ${howToLogIn(agent, command, sandboxed)}`,
    { reason: 'agent_not_logged_in', command },
  );
}

function howToLogIn({ login }: CodingAgent, command: string, sandboxed: boolean): string {
  const [first = ''] = login?.variables ?? [];
  if (!sandboxed || login?.token !== undefined) return `Log in: ${command} (or set ${first})`;
  return `Sandboxed agents do not use your own login. Set ${first}; for how, run: ${command}`;
}
