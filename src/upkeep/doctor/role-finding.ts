import { adapterOf } from '../../agents/adapter-of.ts';
import { agentProblem } from '../../agents/agent-problem.ts';
import { codingAgent, type CodingAgent } from '../../agents/catalogue.ts';
import { loginOf } from '../../agents/login-of.ts';
import { DRIVEN_KINDS } from '../../backends/local/workspace/driven-kinds.ts';
import { agentEnvironment } from '../../backends/local/workspace/environment.ts';
import { isSandboxed } from '../../platform/processes/containment.ts';
import { findProgram } from '../../platform/processes/find-program.ts';
import type { ResolvedRole } from '../../config/built-in-roles.ts';
import { resolveHome } from '../../platform/home.ts';
import type { Finding } from '../../domain/check.ts';
import { loginText } from './login-text.ts';

/** Whether an agent of this role could run here. */
export function roleFinding(role: ResolvedRole, starter: NodeJS.ProcessEnv): Finding {
  if (!DRIVEN_KINDS.includes(role.agent)) {
    return {
      state: 'warn',
      message: `this version of Fleet cannot drive the agent ${role.agent} yet`,
      fix: 'use a role with agent: command',
    };
  }
  const agent = codingAgent(role.agent);
  return agent === undefined ? programFinding(role, starter) : codingAgentFinding(agent, role, starter);
}

/** A warning only: the built-in roles are there also where nobody uses them. */
function codingAgentFinding(agent: CodingAgent, role: ResolvedRole, starter: NodeJS.ProcessEnv): Finding {
  const home = resolveHome(starter);
  const sandboxed = isSandboxed(role.contained);
  const env = agentEnvironment({ ...role, starter, sandboxed });
  const problem = agentProblem(agent, { home, env, sandboxed });
  if (problem !== undefined) {
    return { state: 'warn', message: problem.message, fix: String(problem.details['command']) };
  }
  const version = adapterOf(agent.name, home)?.version ?? '';
  const login = loginText(loginOf(agent, { home, env, sandboxed }) ?? null);
  return { state: 'ok', message: `${agent.title} ${version} is usable; login: ${login}` };
}

function programFinding({ agent, command }: ResolvedRole, env: NodeJS.ProcessEnv): Finding {
  const [program] = command;
  if (program === undefined) {
    return { state: 'fail', message: `the agent ${agent} has no command`, fix: "give the role's command" };
  }
  if (program.includes('/') && !program.startsWith('/')) {
    return { state: 'ok', message: `${program}, looked for in each workspace` };
  }
  const found = findProgram(program, env['PATH']);
  if (found !== undefined) return { state: 'ok', message: found };
  return {
    state: 'fail',
    message: `the program ${program} was not found`,
    fix: `install ${program}, or put it on PATH`,
  };
}
