import { DEFAULT_MEMORY_RESERVE } from '../../../domain/admission.ts';
import { randomBytes } from 'node:crypto';
import { adapterOf } from '../../../agents/adapter-of.ts';
import { codingAgent } from '../../../agents/catalogue.ts';
import { rolesOf, type ResolvedRole } from '../../../config/built-in-roles.ts';
import type { FleetConfig, ProjectConfig } from '../../../config/config-schema.ts';
import type { BudgetLimits } from '../../../domain/budget.ts';
import { FleetError, quote } from '../../../domain/values/errors.ts';
import { givenSpec, type Launch } from '../../../domain/launch.ts';
import { actorOf } from '../../../domain/principal.ts';
import { isSandboxed } from '../../../platform/processes/containment.ts';
import type { CreateRequest } from '../../backend.ts';
import { agentChecks, setupOf } from './agent-checks.ts';
import { agentEnvironment } from './environment.ts';
import type { Origin } from '../records/origin.ts';
import { agentPaths } from '../records/paths.ts';
import { clonePlanOf, planWorkspace } from './plan-workspace.ts';
import { roleProblem } from './role-problem.ts';

export interface OriginParts {
  readonly home: string;
  readonly config: FleetConfig;
  /** The environment of the agent's creator. */
  readonly starter: NodeJS.ProcessEnv;
  readonly created_at: string;
  /** What another agent was made with. */
  originOf(workspace_id: string): Origin | undefined;
  /** The file of the configuration. */
  readonly file: { readonly path: string; readonly hash: string } | null;
}

const DEFAULT_MAX_STARTING = 4;

/** Everything that an agent is made with, resolved and checked; nothing is made yet. */
export async function makeOrigin(request: CreateRequest, parts: OriginParts): Promise<Origin> {
  const { config, home, created_at } = parts;
  const project = projectOf(config, request.project.name);
  const role = roleOf(config, request.role.name);
  if (role === undefined) {
    throw new FleetError('NOT_FOUND', `There is no role ${quote(request.role.name)}.`, { field: 'role' });
  }
  const sandboxed = isSandboxed(role.contained);
  const env = agentEnvironment({ ...role, starter: parts.starter, sandboxed });
  const forked = await forkedFrom(request, parts);
  const plan = await planWorkspace({
    repository: project.repository,
    directory: agentPaths(home, request.workspace_id).workspace,
    agent_name: request.name,
    workspace_id: request.workspace_id,
    base: forked?.base ?? request.base ?? project.base,
    start: forked?.start,
    branch: request.branch,
    pull_request_url: request.base === undefined ? request.pull_request_url : undefined,
    setup: setupOf(project),
    copy: project.copy ?? [],
    remote_name: project.remote_name ?? 'fleet',
  });
  const problem = await roleProblem(role, { home, env, plan, sandboxed });
  if (problem !== undefined) throw problem;
  const created_by = actorOf(request.caller);
  return {
    created_at,
    created_by,
    launch: {
      name: request.name,
      workspace_id: request.workspace_id,
      project: request.project.name,
      role: role.name,
      spec: request.spec ?? request.task,
      spec_given: request.spec !== null,
      created_at,
      created_by: created_by.principal,
      agent: role.agent,
      ...programOf(role, home),
      system_prompt: role.system_prompt,
      model: role.model,
      env,
      on_crash: role.on_crash,
      checks: agentChecks({ project, spec: request.spec, role, starter: parts.starter }),
      contained: role.contained,
      ...reachOf(role, parts.starter),
      ...sessionSettings(role),
      ...(role.team === undefined ? {} : { team: role.team }),
      ...(role.view === undefined ? {} : { view: role.view }),
      ...((role.team ?? role.view) === undefined || parts.file === null ? {} : { config: parts.file }),
      stuck_after_ms: project.stuck_after_ms,
      sleep_after_ms: project.sleep_after_ms,
    },
    plan,
    first_task: { id: request.task_id, message: request.task, source: request.caller.source },
    pull_request_url: request.pull_request_url ?? null,
    max_starting: config.max_starting ?? DEFAULT_MAX_STARTING,
    memory_reserve: config.memory_reserve ?? DEFAULT_MEMORY_RESERVE,
    key: randomBytes(24).toString('base64url'),
  };
}

/** The same agent with the environment of the caller who restarts it, its role's budget, and where its programs are
 *  now; a role that is gone adds nothing. */
export function withFreshEnvironment(
  origin: Origin,
  { config, starter, file, home }: Omit<OriginParts, 'created_at' | 'originOf'>,
): Origin {
  const { agent, role, team, view, agent_version, contained } = origin.launch;
  const { projects } = config;
  const project = Object.hasOwn(projects, origin.launch.project)
    ? projects[origin.launch.project]
    : undefined;
  const now = roleOf(config, role);
  const { env, env_from } = now ?? { env: {}, env_from: [] };
  const sandboxed = isSandboxed(contained !== false);
  const adapter = adapterOf(agent, home, agent_version);
  return {
    ...origin,
    // Steps of making the workspace that are done are not done again.
    ...(project === undefined
      ? {}
      : { plan: { ...origin.plan, setup: setupOf(project), copy: project.copy ?? [] } }),
    launch: {
      ...origin.launch,
      env: agentEnvironment({ agent, starter, env, env_from, sandboxed }),
      ...(now === undefined ? {} : { budget: budgetOf(now), ...reachOf(now, starter) }),
      ...(project === undefined
        ? {}
        : { checks: agentChecks({ project, spec: givenSpec(origin.launch), role: now, starter }) }),
      ...(adapter === undefined ? {} : { command: adapter.command, agent_version: adapter.version }),
      ...((team ?? view) === undefined || file === null ? {} : { config: file }),
    },
  };
}

/** Where an agent begins that goes on from a checkpoint of another one: with the same base. */
async function forkedFrom({ checkpoint, workspace_id }: CreateRequest, { home, originOf }: OriginParts) {
  const source = checkpoint === undefined ? undefined : originOf(checkpoint.workspace_id);
  if (checkpoint === undefined || source === undefined) return undefined;
  const { checkpointStart } = await import('../repository/checkpoint-start.ts');
  const { plan, launch } = source;
  const of = {
    clone: await clonePlanOf(plan, launch.name),
    branch: plan.branch,
    agent_name: launch.name,
    of: launch.workspace_id,
  };
  return {
    start: await checkpointStart(home, of, { number: checkpoint.number, workspace_id }),
    base: plan.base_name,
  };
}

export function projectOf({ projects }: FleetConfig, name: string): ProjectConfig {
  const project = Object.hasOwn(projects, name) ? projects[name] : undefined;
  if (project === undefined)
    throw new FleetError('NOT_FOUND', `There is no project ${quote(name)}.`, { field: 'project' });
  return project;
}

export function roleOf(config: FleetConfig, name: string): ResolvedRole | undefined {
  return rolesOf(config).find((role) => role.name.toLowerCase() === name.toLowerCase());
}

/** A coding agent that Fleet knows by name is started by its adapter, at the version that is installed now. */
function programOf(
  { agent, command }: ResolvedRole,
  home: string,
): Pick<Launch, 'command' | 'agent_version'> {
  const adapter = adapterOf(agent, home);
  return adapter === undefined ? { command } : { command: adapter.command, agent_version: adapter.version };
}

/** What the role gives and takes of the machine, and whether what lies in the workspace is run. */
function reachOf(
  { write, hide, sockets, ssh_agent, metadata }: ResolvedRole,
  starter: NodeJS.ProcessEnv,
): Pick<Launch, 'write' | 'hide' | 'sockets' | 'ssh_agent' | 'metadata'> {
  const socket = ssh_agent ? (starter['SSH_AUTH_SOCK'] ?? '') : '';
  // Also what it does not give: an agent that is restarted may have had it.
  return { write, hide, sockets, ssh_agent: socket === '' ? undefined : socket, metadata };
}

/** What only agents with a session know. */
function sessionSettings(role: ResolvedRole): Partial<Launch> {
  return {
    mode: role.mode ?? codingAgent(role.agent)?.asking.mode ?? null,
    permissions: role.permissions,
    trust_repository: role.trust_repository,
    ...(role.answer_within === undefined ? {} : { answer_within_ms: role.answer_within }),
    ...(role.silent_after === undefined ? {} : { silence_limit_ms: role.silent_after }),
    ...(role.retry === undefined ? {} : { retry: { wait_ms: role.retry.wait, tries: role.retry.tries } }),
    budget: budgetOf(role),
  };
}

function budgetOf({ budget }: ResolvedRole): BudgetLimits {
  const { tokens, cost, time } = budget ?? {};
  return {
    ...(tokens === undefined ? {} : { tokens }),
    ...(cost === undefined ? {} : { cost }),
    ...(time === undefined ? {} : { time_ms: time }),
  };
}
