import { z } from 'zod';
import { PULL_REQUEST_URL_KEY } from '../../../domain/metadata/metadata.ts';
import { actorOf, type Source } from '../../../domain/principal.ts';
import { pullRequestOf, type PullRequest } from '../../../domain/metadata/pull-request.ts';
import { EMPTY_STATE, type AgentState } from '../../../domain/state.ts';
import type { Check } from '../../../domain/review/checks.ts';
import type { HistoryRow } from '../../../domain/task.ts';
import type { CreateRequest } from '../../backend.ts';
import { MANAGED, PARAMETERS } from './parameters.ts';
import { agentApiOf, type VersionFacts } from './version-store.ts';
import { jsonIn } from '../../../domain/values/text.ts';

/** What travels in one parameter, for the runner and for other fleets. */
const wireSchema = z.object({
  project: z.string(),
  role: z.string(),
  created_at: z.string(),
  source: z.enum(['human', 'ai', 'agent']),
  by: z.object({ principal: z.string(), door: z.string() }),
  pull_request_url: z.string().exactOptional(),
});

/** What an agent in a Coder workspace was made with. */
export interface CoderOrigin {
  readonly agent_id: string;
  readonly project: string;
  readonly role: string;
  readonly created_at: string;
  readonly created_by: string;
  readonly source: Source;
  readonly task_id: string;
  readonly task: string;
  /** Null for a workspace that was adopted. */
  readonly spec: string | null;
  /** Absent when the spec is only the first task. */
  readonly given_spec?: string;
  readonly pull_request_url: string | null;
  /** The `fleet_mcp_*` parameters that its template has itself. */
  readonly published: Readonly<Record<string, string>>;
  /** The app of a workspace that runs AgentAPI and no runner of ours. */
  readonly agentapi?: string;
  /** True when Coder does not know that it is an agent: its template has no parameters for that. */
  readonly unmarked?: boolean;
}

export interface ParametersParts {
  readonly created_at: string;
  readonly public_key: string;
  readonly checked: WireChecks;
}

/** How a workspace checks the work in it. */
export interface WireChecks {
  readonly checks?: readonly Check[];
  readonly setup?: readonly string[];
  readonly copy?: readonly string[];
}

/** The parameter with which a workspace starts again, with the checks that hold now. */
export function withChecks(origin: string, { checks, setup, copy }: WireChecks): string | undefined {
  const before = jsonIn(origin);
  if (typeof before !== 'object' || before === null) return undefined;
  // What is undefined is not written.
  return JSON.stringify({ ...before, checks, setup, copy });
}

/** The parameters of a new workspace, beside those of its preset. */
export function parametersOf(
  request: CreateRequest,
  { created_at, public_key, checked }: ParametersParts,
): Record<string, string> {
  const origin = {
    project: request.project.name,
    role: request.role.name,
    created_at,
    source: request.caller.source,
    by: actorOf(request.caller),
    ...(request.pull_request_url === undefined ? {} : { pull_request_url: request.pull_request_url }),
    ...(request.base === undefined ? {} : { base: request.base }),
    ...(request.branch === undefined ? {} : { branch: request.branch }),
    ...checked,
  };
  return {
    [PARAMETERS.managed]: MANAGED,
    [PARAMETERS.agent_id]: request.workspace_id,
    [PARAMETERS.task]: request.task,
    [PARAMETERS.task_id]: request.task_id,
    [PARAMETERS.spec]: request.spec ?? '',
    [PARAMETERS.origin]: JSON.stringify(origin),
    [PARAMETERS.public_key]: public_key,
  };
}

/** What the parameters of a workspace's build say; null when Fleet did not make it. */
export function originOf(parameters: Readonly<Record<string, string>>): CoderOrigin | null {
  const agent_id = parameters[PARAMETERS.agent_id] ?? '';
  if (parameters[PARAMETERS.managed]?.toLowerCase() !== MANAGED || agent_id === '') return null;
  const wire = wireOf(parameters[PARAMETERS.origin] ?? '');
  return {
    agent_id,
    project: wire?.project ?? '',
    role: wire?.role ?? '',
    created_at: wire?.created_at ?? '',
    created_by: wire?.by.principal ?? '',
    source: wire?.source ?? 'human',
    task_id: parameters[PARAMETERS.task_id] ?? '',
    task: parameters[PARAMETERS.task] ?? '',
    // Nobody gave an adopted workspace a task, so that there is nothing that it converges on.
    spec: parameters[PARAMETERS.spec] || parameters[PARAMETERS.task] || null,
    ...givenSpecOf(parameters[PARAMETERS.spec]),
    pull_request_url: wire?.pull_request_url ?? null,
    published: Object.fromEntries(
      Object.entries(parameters).filter(([name]) => name.startsWith('fleet_mcp_')),
    ),
  };
}

function givenSpecOf(given_spec = ''): Pick<CoderOrigin, 'given_spec'> {
  return given_spec === '' ? {} : { given_spec };
}

/** The same, of a workspace whose template is known. */
export function originIn(
  parameters: Readonly<Record<string, string>>,
  version: VersionFacts,
): CoderOrigin | null {
  const origin = originOf(parameters);
  const agentapi = agentApiOf(version);
  if (origin === null || agentapi === undefined) return origin;
  return { ...origin, agentapi, unmarked: !isMarked(version) };
}

/** True when a workspace of this version can say of itself that it is an agent. */
export function isMarked({ parameters }: VersionFacts): boolean {
  return [PARAMETERS.managed, PARAMETERS.agent_id].every((name) => parameters.includes(name));
}

/** What an agent is before its runner has answered. */
export function stateBefore({ task_id, task, created_at }: CoderOrigin): AgentState {
  if (task_id === '') return { ...EMPTY_STATE, updated_at: created_at || EMPTY_STATE.updated_at };
  return { ...EMPTY_STATE, queue: [task_id], last_task: task, updated_at: created_at };
}

export function pullRequestBefore({ pull_request_url: url }: CoderOrigin): PullRequest | null {
  return url === null ? null : pullRequestOf({ [PULL_REQUEST_URL_KEY]: url });
}

/** The first task as the history shows it before the runner has answered. */
export function firstTaskOf({ task_id, task, source, created_at }: CoderOrigin): HistoryRow | undefined {
  if (task_id === '') return undefined;
  return {
    id: task_id,
    kind: 'task',
    message: task,
    uri: null,
    needs_user_attention: false,
    created_at,
    state: 'queued',
    source,
    started_at: null,
    finished_at: null,
    result: null,
    tokens: null,
    cost: null,
  };
}

function wireOf(text: string): z.output<typeof wireSchema> | undefined {
  return wireSchema.safeParse(jsonIn(text)).data;
}
