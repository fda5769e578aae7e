import { DEFAULT_MEMORY_RESERVE } from '../../domain/admission.ts';
import { randomBytes } from 'node:crypto';
import { adapterOf } from '../../agents/adapter-of.ts';
import { codingAgent } from '../../agents/catalogue.ts';
import { rolesOf, type ResolvedRole } from '../../config/built-in-roles.ts';
import type { FleetConfig, ProjectConfig } from '../../config/config-schema.ts';
import { FleetError, quote } from '../../domain/errors.ts';
import type { Launch } from '../../domain/launch.ts';
import { actorOf } from '../../domain/principal.ts';
import type { CreateRequest } from '../backend.ts';
import { agentEnvironment } from './environment.ts';
import type { Origin } from './origin.ts';
import { agentPaths } from './paths.ts';
import { planWorktree } from './plan-worktree.ts';
import { roleProblem } from './role-problem.ts';

export interface OriginParts {
  readonly home: string;
  readonly config: FleetConfig;
  /** The environment of whoever creates the agent. */
  readonly starter: NodeJS.ProcessEnv;
  readonly created_at: string;
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
  const env = agentEnvironment({ ...role, starter: parts.starter });
  const plan = await planWorktree({
    repository: project.repository,
    directory: agentPaths(home, request.workspace_id).worktree,
    agent_name: request.name,
    base: request.base ?? project.base,
    branch: request.branch,
    setup: typeof project.setup === 'string' ? ['sh', '-c', project.setup] : (project.setup ?? null),
    copy: project.copy ?? [],
    keep: project.keep ?? [],
  });
  const problem = await roleProblem(role, { home, env, plan });
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
      spec: request.spec,
      created_at,
      created_by: created_by.principal,
      agent: role.agent,
      ...programOf(role, home),
      system_prompt: role.system_prompt,
      model: role.model,
      env,
      on_crash: role.on_crash,
      contained: role.contained,
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

/** The same agent with the environment of whoever restarts it, and where its programs are now; a role that is gone adds
 *  nothing. */
export function withFreshEnvironment(
  origin: Origin,
  { config, starter, file, home }: Omit<OriginParts, 'created_at'>,
): Origin {
  const { agent, role, team, view, agent_version } = origin.launch;
  const { env, env_from } = roleOf(config, role) ?? { env: {}, env_from: [] };
  const adapter = adapterOf(agent, home, agent_version);
  return {
    ...origin,
    launch: {
      ...origin.launch,
      env: agentEnvironment({ agent, starter, env, env_from }),
      ...(adapter === undefined ? {} : { command: adapter.command, agent_version: adapter.version }),
      ...((team ?? view) === undefined || file === null ? {} : { config: file }),
    },
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

/** What only agents with a session know. */
function sessionSettings(role: ResolvedRole): Partial<Launch> {
  const { tokens, cost, time } = role.budget ?? {};
  return {
    mode: role.mode ?? codingAgent(role.agent)?.asking.mode ?? null,
    permissions: role.permissions,
    trust_repository: role.trust_repository,
    ...(role.answer_within === undefined ? {} : { answer_within_ms: role.answer_within }),
    ...(role.silent_after === undefined ? {} : { silence_limit_ms: role.silent_after }),
    ...(role.retry === undefined ? {} : { retry: { wait_ms: role.retry.wait, tries: role.retry.tries } }),
    budget: {
      ...(tokens === undefined ? {} : { tokens }),
      ...(cost === undefined ? {} : { cost }),
      ...(time === undefined ? {} : { time_ms: time }),
    },
  };
}
