import { agentProblem } from '../../../agents/agent-problem.ts';
import { codingAgent } from '../../../agents/catalogue.ts';
import type { ResolvedRole } from '../../../config/built-in-roles.ts';
import { FleetError } from '../../../domain/values/errors.ts';
import { DRIVEN_KINDS } from './driven-kinds.ts';
import { findProgram } from '../../../platform/processes/find-program.ts';
import { git } from '../../git/git.ts';
import type { WorkspacePlan } from '../records/workspace-plan.ts';

export interface RolePlace {
  readonly home: string;
  /** The environment that the agent would have. */
  readonly env: Readonly<Record<string, string>>;
  readonly plan: WorkspacePlan;
  readonly sandboxed: boolean;
}

/** Why an agent of this role could not run here, found before anything is made. */
export async function roleProblem(role: ResolvedRole, place: RolePlace): Promise<FleetError | undefined> {
  if (!DRIVEN_KINDS.includes(role.agent)) {
    return notInstalled(
      `The role "${role.name}" runs the agent "${role.agent}", which this version of Fleet cannot drive yet. ` +
        'Use a role with `agent: command` (`fleet init` writes one).',
    );
  }
  const agent = codingAgent(role.agent);
  return agent === undefined ? programProblem(role, place) : agentProblem(agent, place);
}

async function programProblem(role: ResolvedRole, { env, plan }: RolePlace): Promise<FleetError | undefined> {
  const [program] = role.command;
  if (program === undefined) return notInstalled(`The role "${role.name}" has no command.`);
  if (!program.includes('/') || program.startsWith('/')) {
    if (findProgram(program, env['PATH']) !== undefined) return undefined;
    return notInstalled(
      `The program "${program}" of the role "${role.name}" is not on this machine, or cannot be run. ` +
        "Install it, or change the role's command in fleet.yaml.",
    );
  }
  // Relative to the worktree, which is not there yet: the commit tells. Set-up may make it, so only then it may be missing.
  const { ok } = await git(plan.repository, [
    'cat-file',
    '-e',
    `${plan.clone?.start_commit ?? plan.base_commit}:${program.replace(/^(\.\/)+/, '')}`,
  ]);
  if (ok || plan.setup !== null) return undefined;
  return notInstalled(
    `The program "${program}" of the role "${role.name}" is not in the repository at ${plan.base_name}.`,
  );
}

function notInstalled(message: string): FleetError {
  return new FleetError('SERVICE_UNAVAILABLE', message, { reason: 'agent_not_installed' });
}
