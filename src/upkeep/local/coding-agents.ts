import { adapterOf } from '../../agents/adapter-of.ts';
import { agentProblem } from '../../agents/agent-problem.ts';
import { CODING_AGENTS } from '../../agents/catalogue.ts';
import { loginOf, type LoginSource } from '../../agents/login-of.ts';
import { isSandboxed } from '../../platform/processes/containment.ts';
import { agentEnvironment } from '../../backends/local/workspace/environment.ts';

export interface CodingAgentState {
  readonly name: string;
  readonly title: string;
  readonly package: string;
  readonly pinned_version: string;
  readonly installed_version: string | null;
  /** How it is logged in: `source` is `variable`, `file`, `fleet` or `not needed`; null when it is not. */
  readonly login: LoginSource | null;
  readonly usable: boolean;
  /** One sentence with the command to type; null when it is usable. */
  readonly problem: string | null;
  readonly reason: string | null;
  /** What to type to make it usable. */
  readonly command: string | null;
}

/** Every coding agent, as one that is made in this environment would find it. */
export function codingAgents(home: string, starter: NodeJS.ProcessEnv): readonly CodingAgentState[] {
  const sandboxed = isSandboxed(true);
  return CODING_AGENTS.map((agent) => {
    const env = agentEnvironment({ agent: agent.name, starter, env: {}, env_from: [], sandboxed });
    const problem = agentProblem(agent, { home, env, sandboxed });
    return {
      name: agent.name,
      title: agent.title,
      package: agent.package,
      pinned_version: agent.version,
      installed_version: adapterOf(agent.name, home)?.version ?? null,
      login: loginOf(agent, { home, env, sandboxed }) ?? null,
      usable: problem === undefined,
      problem: problem?.message ?? null,
      reason: problem?.details.reason ?? null,
      command: typeof problem?.details['command'] === 'string' ? problem.details['command'] : null,
    };
  });
}
