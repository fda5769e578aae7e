import { rolesOf } from '../../config/built-in-roles.ts';
import { requireTrust, type ConfigSource, type LoadedConfig } from '../../config/config-source.ts';
import type { Project, Role } from '../../domain/project.ts';
import type { Check } from '../../domain/review/checks.ts';
import type { CreateRequest } from '../backend.ts';
import {
  makeOrigin,
  projectOf,
  roleOf,
  withFreshEnvironment,
  type OriginParts,
} from './workspace/make-origin.ts';
import { checkEnvironment, projectChecks } from './workspace/agent-checks.ts';
import type { Origin } from './records/origin.ts';
import { keptEverywhere, type KeptEverywhere } from './kept/kept-repositories.ts';
import { projectIdOf, roleIdOf } from './records/project-ids.ts';

export interface LocalProjectsParts {
  readonly home: string;
  readonly config: ConfigSource;
  /** The environment in which agents are created. */
  readonly env: NodeJS.ProcessEnv;
}

/** What the configuration says of this machine's projects, as it is now. */
export class LocalProjects {
  readonly #parts: LocalProjectsParts;

  constructor(parts: LocalProjectsParts) {
    this.#parts = parts;
  }

  projects(): readonly Project[] {
    const configured = Object.entries(this.#parts.config.current().config.projects);
    const own = configured.filter(([, project]) => project.backend === 'local');
    return own.map(([name, project]) => ({
      id: projectIdOf(name),
      name,
      display_name: name,
      description: project.description ?? '',
      template_id: projectIdOf(name),
      template_name: name,
      backend: 'local',
    }));
  }

  roles(project: Project): readonly Role[] {
    const { config } = this.#parts.config.current();
    const byDefault = roleOf(config, projectOf(config, project.name).default_role ?? 'coder');
    return rolesOf(config).map((role) => ({
      id: roleIdOf(project.name, role.name),
      name: role.name,
      display_name: role.display_name,
      description: role.description,
      project_id: project.id,
      default: role.name === byDefault?.name,
    }));
  }

  /** The names of those whose forecast is made again by itself. An untrusted configuration starts nothing. */
  forecasts(): readonly string[] {
    const loaded = this.#parts.config.current();
    const own = this.projects().filter(({ name }) => loaded.config.projects[name]?.forecast === true);
    if (own.length > 0) requireTrust(loaded);
    return own.map(({ name }) => name);
  }

  /** Undefined for a project that is not configured on this machine. */
  repositoryOf(name: string): string | undefined {
    const { projects } = this.#parts.config.current().config;
    const project = Object.hasOwn(projects, name) ? projects[name] : undefined;
    return project?.backend === 'local' ? project.repository : undefined;
  }

  /** The kept branches in the repositories of the projects. */
  kept(): Promise<KeptEverywhere> {
    return keptEverywhere(this.#parts.config.current().config);
  }

  /** Everything that a new agent is made with. An untrusted configuration starts nothing. */
  async originOf(
    request: CreateRequest,
    created_at: string,
    originOf: (workspace_id: string) => Origin | undefined,
  ): Promise<Origin> {
    const loaded = this.#parts.config.current();
    requireTrust(loaded);
    return makeOrigin(request, { ...this.#originParts(loaded), created_at, originOf });
  }

  /** The checks of a project, and the environment that they run in; undefined when it has none. */
  checksOf(
    name: string,
  ): { readonly all: readonly Check[]; readonly env: Readonly<Record<string, string>> } | undefined {
    const loaded = this.#parts.config.current();
    requireTrust(loaded);
    const all = projectChecks(projectOf(loaded.config, name));
    return all.length === 0 ? undefined : { all, env: checkEnvironment(this.#parts.env) };
  }

  refreshed(origin: Origin): Origin {
    const loaded = this.#parts.config.current();
    requireTrust(loaded);
    return withFreshEnvironment(origin, this.#originParts(loaded));
  }

  #originParts({ config, path, hash }: LoadedConfig): Omit<OriginParts, 'created_at' | 'originOf'> {
    const { home, env } = this.#parts;
    return { home, config, starter: env, file: path === null ? null : { path, hash } };
  }
}
