import type { AgentRecord, Backend } from '../backends/backend.ts';
import { FleetError, quote, toFleetError } from '../domain/errors.ts';
import type { Project, Role } from '../domain/project.ts';

/** Finds agents and projects in all backends. */
export class Lookup {
  readonly #backends: readonly Backend[];

  constructor(backends: readonly Backend[]) {
    this.#backends = backends;
  }

  /** The agents of all backends that answer; an error only when none does. */
  async records() {
    const answers = await Promise.allSettled(this.#backends.map((backend) => backend.list()));
    const records = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    const failures = answers.flatMap((answer, index) =>
      answer.status === 'rejected'
        ? [{ backend: this.#backends[index]?.name ?? '', error: toFleetError(answer.reason) }]
        : [],
    );
    const [first] = failures;
    if (first !== undefined && failures.length === this.#backends.length) throw first.error;
    return {
      records,
      unavailable: failures.map(({ backend, error }) => ({ backend, message: error.message })),
    };
  }

  async find(name: string): Promise<{ backend: Backend; agent: AgentRecord }> {
    for (const backend of this.#backends) {
      const agent = await backend.find(name);
      if (agent !== undefined) return { backend, agent };
    }
    throw new FleetError(
      'NOT_FOUND',
      `There is no agent ${quote(name)} in this fleet. list_agents (fleet list) shows those there are.`,
      { field: 'agent_name' },
    );
  }

  backendOf({ backend: name }: AgentRecord): Backend {
    const backend = this.#backends.find((each) => each.name === name);
    if (backend === undefined) throw new Error(`no backend is called ${name}`);
    return backend;
  }

  async project(name: string): Promise<{ backend: Backend; project: Project }> {
    const known: string[] = [];
    for (const backend of this.#backends) {
      for (const project of await backend.projects()) {
        if (sameText(project.name, name)) return { backend, project };
        known.push(project.name);
      }
    }
    const there =
      known.length === 0 ? 'No project is configured: run `fleet init`.' : `There are: ${known.join(', ')}.`;
    throw new FleetError('NOT_FOUND', `There is no project ${quote(name)}. ${there}`, {
      field: 'project',
      projects: known,
    });
  }
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
