import { isBackend, type AgentRecord, type AgentSource, type Backend } from '../../backends/backend.ts';
import { FleetError, quote, toFleetError } from '../../domain/values/errors.ts';
import type { Project, Role } from '../../domain/project.ts';
import { noAgent } from './no-agent.ts';

/** A function where the configuration decides which there are: it is asked each time. */
export type Sources = readonly AgentSource[] | (() => Promise<readonly AgentSource[]>);

/** Finds agents and projects in all backends. */
export class Lookup {
  readonly #find: () => Promise<readonly AgentSource[]>;
  #opened: readonly AgentSource[];

  constructor(sources: Sources) {
    this.#find = typeof sources === 'function' ? sources : async () => sources;
    this.#opened = typeof sources === 'function' ? [] : sources;
  }

  async backends(): Promise<readonly Backend[]> {
    return (await this.#sources()).map(asBackend);
  }

  /** Those that were used last. */
  get opened(): readonly AgentSource[] {
    return this.#opened;
  }

  async #sources(): Promise<readonly AgentSource[]> {
    this.#opened = await this.#find();
    return this.#opened;
  }

  /** The agents of all backends that answer; an error only when none does that has agents or projects. */
  async records() {
    const backends = await this.#sources();
    const answers = await Promise.allSettled(backends.map((backend) => backend.list()));
    const records = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    const failures = answers.flatMap((answer, index) =>
      answer.status === 'rejected'
        ? [{ backend: backends[index]?.name ?? '', error: toFleetError(answer.reason) }]
        : [],
    );
    if (failures.length > 0 && records.length === 0) {
      const answering = backends.filter((_, index) => answers[index]?.status === 'fulfilled');
      if (!(await haveProjects(answering.filter(isBackend))))
        throw noAnswer(failures.map(({ error }) => error));
    }
    return {
      records,
      unavailable: failures.map(({ backend, error }) => ({ backend, message: error.message })),
    };
  }

  /** An agent of a backend, for what only those who run agents can do. */
  async host(name: string): Promise<{ backend: Backend; agent: AgentRecord }> {
    const { backend, agent } = await this.find(name);
    return { backend: asBackend(backend), agent };
  }

  async find(name: string): Promise<{ backend: AgentSource; agent: AgentRecord }> {
    for (const backend of await this.#sources()) {
      const agent = await backend.find(name);
      if (agent !== undefined) return { backend, agent };
    }
    if (name.includes('/')) {
      throw new FleetError(
        'INVALID_INPUT',
        `The agent name ${quote(name)} is not known in this fleet, and another user on Coder has no such agent.`,
        { field: 'agent_name' },
      );
    }
    const { records } = await this.records();
    throw noAgent(
      name,
      records.map((record) => record.name),
      'agent_name',
    );
  }

  /** For a request that the runner of the agent decides: it may have been seen a moment ago. */
  async reach(name: string): Promise<{ backend: AgentSource; agent: AgentRecord }> {
    for (const backend of await this.#sources()) {
      const agent = backend.recall?.(name);
      if (agent !== undefined) return { backend, agent };
    }
    return this.find(name);
  }

  backendOf({ backend: name }: AgentRecord): Backend {
    const backend = this.#opened.find((each) => each.name === name);
    if (backend === undefined) throw new Error(`no backend is called ${name}`);
    return asBackend(backend);
  }

  /** Of all backends that answer; an error only when none has any to show. */
  async projects(): Promise<readonly Project[]> {
    const backends = await this.backends();
    const answers = await Promise.allSettled(backends.map((backend) => backend.projects()));
    const projects = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    const failed = answers.find((answer) => answer.status === 'rejected');
    if (projects.length === 0 && failed !== undefined) throw failed.reason;
    return projects;
  }

  /** Names are unique over all backends; each knows its own. */
  async checkFree(name: string, own: Backend): Promise<void> {
    for (const backend of await this.backends()) {
      if (backend.name === own.name || (await backend.find(name)) === undefined) continue;
      throw new FleetError(
        'CONFLICT',
        `There is an agent ${quote(name)} already, on the backend "${backend.name}". Choose another name, or leave it out.`,
        { field: 'name', reason: 'name_taken' },
      );
    }
  }

  async project(name: string): Promise<{ backend: Backend; project: Project }> {
    const known: string[] = [];
    for (const backend of await this.backends()) {
      const projects = await backend.projects();
      const project = projects.find((each) => isCalled(each, name));
      if (project !== undefined) return { backend, project };
      known.push(...projects.map((each) => each.name));
    }
    const there =
      known.length === 0 ? 'No project is configured: run `fleet init`.' : `There are: ${known.join(', ')}.`;
    throw new FleetError('NOT_FOUND', `There is no project ${quote(name)}. ${there}`, {
      field: 'project',
      projects: known,
    });
  }
}

export function asBackend(source: AgentSource): Backend {
  if (isBackend(source)) return source;
  throw new FleetError('FORBIDDEN', 'From inside an agent only the agent itself can be reached.');
}

async function haveProjects(backends: readonly Backend[]): Promise<boolean> {
  const counts = await Promise.all(
    backends.map((backend) =>
      backend.projects().then(
        ({ length }) => length,
        () => 0,
      ),
    ),
  );
  return counts.some((count) => count > 0);
}

/** The caller gets SERVICE_UNAVAILABLE for every error of a backend that is not a defect. */
function noAnswer(errors: readonly FleetError[]): FleetError {
  const [first] = errors;
  if (first === undefined) throw new Error('no backend failed');
  const isOne = errors.length === 1 && first.code === 'SERVICE_UNAVAILABLE';
  if (isOne || first.code === 'INTERNAL_ERROR') return first;
  const message = errors.map((error) => error.message).join(' ');
  return new FleetError('SERVICE_UNAVAILABLE', message, first.details, first);
}

function isCalled({ name, aliases = [] }: Project, wanted: string): boolean {
  return [name, ...aliases].some((each) => sameText(each, wanted));
}

/** The role that was asked for, or the project's default. */
export function roleOf(roles: readonly Role[], project: Project, wanted: string | undefined): Role {
  const role =
    wanted === undefined
      ? roles.find((each) => each.default)
      : roles.find((each) => sameText(each.name, wanted));
  if (role !== undefined) return role;
  const known = roles.map((each) => each.name);
  const problem =
    wanted === undefined
      ? `The project "${project.name}" has no default role; give a role.`
      : `The project "${project.name}" has no role ${quote(wanted)}.`;
  throw new FleetError(
    wanted === undefined ? 'INVALID_INPUT' : 'NOT_FOUND',
    `${problem} There are: ${known.join(', ')}.`,
    {
      field: 'role',
      roles: known,
    },
  );
}

/** Names of projects and roles are matched ignoring case. */
export function sameText(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
