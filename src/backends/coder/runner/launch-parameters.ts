import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { adapterOf } from '../../../agents/adapter-of.ts';
import { FleetError } from '../../../domain/values/errors.ts';
import type { FactBody } from '../../../domain/fact.ts';
import type { Launch } from '../../../domain/launch.ts';
import { PULL_REQUEST_URL_KEY } from '../../../domain/metadata/metadata.ts';
import type { Actor } from '../../../domain/principal.ts';
import { TEAM_SERVER } from '../../../runner/acp/session-options.ts';
import type { ReachedServer } from '../../../runner/programs/driver.ts';
import {
  actor,
  body,
  integer,
  object,
  oneOf,
  optionalCount,
  optionalText,
  text,
  textOrNull,
  type Fields,
} from '../../../runner/api/shapes.ts';
import { agentEnvironment } from '../../local/workspace/environment.ts';
import { PARAMETERS } from '../model/parameters.ts';

/** Where a runner in a workspace finds things; the template's start script says so. */
export interface RunnerPlace {
  /** A directory with one file for each parameter of the build. */
  readonly parameters: string;
  /** On storage that outlives a stop of the workspace. */
  readonly state: string;
  /** Where the agent works. */
  readonly directory: string;
  readonly workspace_id: string;
  readonly name: string;
}

/** All that a runner in a workspace is started with. */
export interface CoderLaunch {
  readonly launch: Launch;
  readonly by: Actor;
  readonly public_key: string;
  /** The fleet that the agent may run a team on; null for an agent that may not. */
  readonly team: ReachedServer | null;
  /** The first facts of the journal. */
  readonly creation: readonly FactBody[];
  readonly branch: string | null;
  readonly base: string | null;
  readonly setup: readonly string[] | null;
  readonly copy: readonly string[];
}

const DEFAULT_STUCK_MS = 15 * 60_000;
/** The longest that a timer can wait: a runner in a workspace does not leave. */
const NEVER_MS = 2 ** 31 - 1;

/** Reads what the build of the workspace was given. */
export function launchParameters(place: RunnerPlace, env: NodeJS.ProcessEnv): CoderLaunch {
  const parameter = (name: string): string => readParameter(place.parameters, name);
  const task_id = parameter(PARAMETERS.task_id);
  const origin = parameter(PARAMETERS.origin) === '' ? adopted(place) : body(parameter(PARAMETERS.origin));
  const role = body(parameter('fleet_role'));
  const by = actor(origin);
  const [project, roleName] = [text(origin, 'project'), text(origin, 'role')];
  const launch: Launch = {
    name: place.name,
    workspace_id: place.workspace_id,
    project,
    role: roleName,
    spec: parameter(PARAMETERS.spec) || parameter(PARAMETERS.task),
    spec_given: parameter(PARAMETERS.spec) !== '',
    created_at: text(origin, 'created_at'),
    created_by: by.principal,
    ...programOf(role, place.state),
    system_prompt: parameter('system_prompt') || null,
    model: textOrNull({ model: role['model'] ?? null }, 'model'),
    env: agentEnvironment({
      agent: text(role, 'agent'),
      starter: env,
      env: variables(role),
      env_from: textList(role, 'env_from'),
      sandboxed: false,
    }),
    on_crash: role['on_crash'] === 'resume' ? 'resume' : 'interrupt',
    contained: false,
    stuck_after_ms: DEFAULT_STUCK_MS,
    sleep_after_ms: NEVER_MS,
    ...checksOf(origin, role, env),
  };
  const task = parameter(PARAMETERS.task);
  const url = optionalText(origin, 'pull_request_url');
  return {
    launch,
    by,
    public_key: parameter(PARAMETERS.public_key),
    team: teamOf(role, env),
    branch: optionalText(origin, 'branch') ?? null,
    base: optionalText(origin, 'base') ?? null,
    setup: origin['setup'] === undefined ? null : textList(origin, 'setup'),
    copy: textList(origin, 'copy'),
    creation: [
      {
        kind: 'agent.created',
        name: place.name,
        project,
        role: roleName,
        stuck_after_ms: DEFAULT_STUCK_MS,
      },
      ...(task_id === ''
        ? []
        : [
            {
              kind: 'task.accepted' as const,
              task_id,
              message: task,
              source: oneOf(['human', 'ai', 'agent'], origin, 'source'),
              front: false,
            },
          ]),
      ...(url === undefined
        ? []
        : [{ kind: 'metadata.set' as const, key: PULL_REQUEST_URL_KEY, value: url }]),
    ],
  };
}

/** The checks of the project and of the spec; how often failures go back to the agent is a matter of the role. */
function checksOf(origin: Fields, role: Fields, starter: NodeJS.ProcessEnv): Pick<Launch, 'checks'> {
  const given = origin['checks'] ?? [];
  if (!Array.isArray(given) || given.length === 0) return {};
  const all = given.map((each: unknown) => {
    const check = object(each, 'checks');
    return {
      name: text(check, 'name'),
      command: textList(check, 'command'),
      timeout_ms: integer(check, 'timeout_ms'),
    };
  });
  const env = agentEnvironment({ agent: 'command', starter, env: {}, env_from: [], sandboxed: false });
  const retries = optionalCount(role, 'check_retries') ?? 0;
  return { checks: { all, env, retries } };
}

/** False for a workspace that somebody made by hand. */
export function hasFleet({ parameters }: RunnerPlace): boolean {
  return readParameter(parameters, PARAMETERS.public_key) !== '';
}

function readParameter(directory: string, name: string): string {
  const file = join(directory, name);
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

/** A workspace that somebody else made knows nothing of who wanted it. */
function adopted({ name }: RunnerPlace): Fields {
  return {
    project: '-',
    role: '-',
    created_at: new Date().toISOString(),
    by: { principal: `agent:${name}`, door: 'fleet' },
  };
}

function programOf(role: Fields, home: string): Pick<Launch, 'agent' | 'command' | 'agent_version'> {
  const agent = text(role, 'agent');
  if (role['command'] !== undefined) return { agent, command: textList(role, 'command') };
  const adapter = adapterOf(agent, home);
  if (adapter !== undefined) return { agent, command: adapter.command, agent_version: adapter.version };
  throw new FleetError(
    'SERVICE_UNAVAILABLE',
    `The agent "${agent}" is not installed in this workspace: the template has to run "fleet agents install ${agent}".`,
    { reason: 'agent_not_installed' },
  );
}

/** The operations of a `fleet serve` that the role names, with the token of the variable that it names. */
function teamOf(role: Fields, env: NodeJS.ProcessEnv): ReachedServer | null {
  if (role['fleet'] === undefined) return null;
  const fleet = object(role['fleet'], 'fleet');
  const token_env = text(fleet, 'token_env');
  const token = env[token_env] ?? '';
  if (token !== '')
    return { name: TEAM_SERVER, url: text(fleet, 'url'), headers: { Authorization: `Bearer ${token}` } };
  throw new FleetError(
    'SERVICE_UNAVAILABLE',
    `The role runs a team, but this workspace has no ${token_env}: the template has to set it to a token of the fleet.`,
    { reason: 'no_token' },
  );
}

function textList(role: Fields, name: string): readonly string[] {
  const list = role[name] ?? [];
  if (Array.isArray(list) && list.every((part) => typeof part === 'string')) return list;
  throw new FleetError(
    'INVALID_INPUT',
    `"${name}" of a parameter of the workspace must be a list of texts.`,
    {
      field: name,
    },
  );
}

function variables(role: Fields): Record<string, string> {
  const given = Object.entries(object(role['env'] ?? {}, 'env'));
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
}
