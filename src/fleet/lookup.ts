import type { AgentRecord, Backend } from '../backends/backend.ts';
import { FleetError, quote, toFleetError } from '../domain/errors.ts';
import type { Project, Role } from '../domain/project.ts';

/** Finds agents and projects in all backends. */
export class Lookup {
  /** Those that are there without a configuration. */
  readonly #own: readonly Backend[];
  readonly #more: () => Promise<readonly Backend[]>;
  #opened: readonly Backend[];

  constructor(backends: readonly Backend[], more: () => Promise<readonly Backend[]> = async () => []) {
    this.#own = backends;
    this.#opened = backends;
    this.#more = more;
  }

  async backends(): Promise<readonly Backend[]> {
    this.#opened = [...this.#own, ...(await this.#more())];
    return this.#opened;
  }

  /** Those that were used last. */
  get opened(): readonly Backend[] {
    return this.#opened;
  }

  /** The agents of all backends that answer; an error only when none does. */
  async records() {
    const backends = await this.backends();
    const answers = await Promise.allSettled(backends.map((backend) => backend.list()));
    const records = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    const failures = answers.flatMap((answer, index) =>
      answer.status === 'rejected'
        ? [{ backend: backends[index]?.name ?? '', error: toFleetError(answer.reason) }]
        : [],
    );
    const [first] = failures;
    if (first !== undefined && failures.length === backends.length) throw first.error;
    return {
      records,
      unavailable: failures.map(({ backend, error }) => ({ backend, message: error.message })),
    };
  }

  async find(name: string): Promise<{ backend: Backend; agent: AgentRecord }> {
    for (const backend of await this.backends()) {
      const agent = await backend.find(name);
      if (agent !== undefined) return { backend, agent };
    }
    if (name.includes('/')) {
      throw new FleetError(
        'INVALID_INPUT',
        `The agent name ${quote(name)} is no name of this fleet, and no agent of another user on Coder is called so.`,
        { field: 'agent_name' },
      );
    }
    throw new FleetError(
      'NOT_FOUND',
      `There is no agent ${quote(name)} in this fleet. list_agents (fleet list) shows those there are.`,
      { field: 'agent_name' },
    );
  }

  /** For a request that the runner of the agent decides: it may have been seen a moment ago. */
  async reach(name: string): Promise<{ backend: Backend; agent: AgentRecord }> {
    for (const backend of await this.backends()) {
      const agent = backend.recall?.(name);
      if (agent !== undefined) return { backend, agent };
    }
    return this.find(name);
  }

  backendOf({ backend: name }: AgentRecord): Backend {
    const backend = this.#opened.find((each) => each.name === name);
    if (backend === undefined) throw new Error(`no backend is called ${name}`);
    return backend;
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
      ? `The project "${project.name}" has no default role; say which one.`
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
