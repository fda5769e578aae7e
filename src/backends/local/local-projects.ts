import { rolesOf } from '../../config/built-in-roles.ts';
import { requireTrust, type ConfigSource, type LoadedConfig } from '../../config/config-source.ts';
import type { Project, Role } from '../../domain/project.ts';
import type { CreateRequest } from '../backend.ts';
import { makeOrigin, projectOf, roleOf, withFreshEnvironment, type OriginParts } from './make-origin.ts';
import type { Origin } from './origin.ts';
import { projectIdOf, roleIdOf } from './project-ids.ts';

export interface LocalProjectsParts {
  readonly home: string;
  readonly config: ConfigSource;
  /** The environment of whoever creates agents. */
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

  /** Everything that a new agent is made with. An untrusted configuration starts nothing. */
  async originOf(request: CreateRequest, created_at: string): Promise<Origin> {
    const loaded = this.#parts.config.current();
    requireTrust(loaded);
    return makeOrigin(request, { ...this.#originParts(loaded), created_at });
  }

  refreshed(origin: Origin): Origin {
    const loaded = this.#parts.config.current();
    requireTrust(loaded);
    return withFreshEnvironment(origin, this.#originParts(loaded));
  }

  #originParts({ config, path, hash }: LoadedConfig): Omit<OriginParts, 'created_at'> {
    const { home, env } = this.#parts;
    return { home, config, starter: env, file: path === null ? null : { path, hash } };
  }
}
