import { adapterOf } from '../agents/adapter-of.ts';
import { agentProblem } from '../agents/agent-problem.ts';
import { CODING_AGENTS } from '../agents/catalogue.ts';
import { agentEnvironment } from '../backends/local/environment.ts';

export interface CodingAgentState {
  readonly name: string;
  readonly title: string;
  readonly package: string;
  readonly pinned_version: string;
  readonly installed_version: string | null;
  readonly usable: boolean;
  /** One sentence with the command to type; null when it is usable. */
  readonly problem: string | null;
  readonly reason: string | null;
}

/** Every coding agent, as one that is made in this environment would find it. */
export function codingAgents(home: string, starter: NodeJS.ProcessEnv): readonly CodingAgentState[] {
  return CODING_AGENTS.map((agent) => {
    const env = agentEnvironment({ agent: agent.name, starter, env: {}, env_from: [] });
    const problem = agentProblem(agent, { home, env });
    return {
      name: agent.name,
      title: agent.title,
      package: agent.package,
      pinned_version: agent.version,
      installed_version: adapterOf(agent.name, home)?.version ?? null,
      usable: problem === undefined,
      problem: problem?.message ?? null,
      reason: problem?.details.reason ?? null,
    };
  });
}
