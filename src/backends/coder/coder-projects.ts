import { FleetError, quote } from '../../domain/values/errors.ts';
import type { Project, Role } from '../../domain/project.ts';
import { NO_CHECKS, type CheckPlan } from './model/check-plan.ts';
import type { CoderContext } from './model/coder-context.ts';
import { templatesSchema, type Template } from './model/template-schema.ts';
import { drivingProblem } from './model/version-store.ts';

/** A project of the configuration that is a template of this server. */
export interface NamedTemplate {
  readonly name: string;
  /** The template's display name, name, or `organization/name`. */
  readonly template: string;
  readonly description?: string | undefined;
  readonly default_role?: string | undefined;
  readonly check_plan?: CheckPlan;
}

export interface CoderProject extends Project {
  readonly version_id: string;
  readonly default_role: string | undefined;
  readonly check_plan: CheckPlan;
}

export interface UnusableTemplate {
  readonly template: string;
  readonly why: string;
}

/** Templates as projects, and their presets as roles. */
export class CoderProjects {
  readonly #context: CoderContext;
  readonly #named: readonly NamedTemplate[];

  /** With no names, every template that Fleet can drive is a project. */
  constructor(context: CoderContext, named: readonly NamedTemplate[]) {
    this.#context = context;
    this.#named = named;
  }

  async all(): Promise<readonly CoderProject[]> {
    return (await this.#look()).projects;
  }

  /** The templates that are no projects, and why. */
  async unusable(): Promise<readonly UnusableTemplate[]> {
    return (await this.#look()).unusable;
  }

  async roles(project: Project): Promise<readonly Role[]> {
    const { version_id, default_role } = await this.#known(project);
    const { presets } = await this.#context.versions.of(version_id);
    const wanted = default_role ?? presets.find((preset) => preset.default)?.name ?? 'coder';
    const fallback = presets.find(({ name }) => sameText(name, wanted)) ?? presets[0];
    return presets.map(({ id, name, description }) => ({
      id,
      name,
      display_name: name,
      description,
      project_id: project.id,
      default: id === fallback?.id,
    }));
  }

  /** The version that is active now: presets belong to one. */
  async versionOf(project: Project): Promise<string> {
    return (await this.#known(project)).version_id;
  }

  /** By the name of a project, which may be gone since. */
  async checkPlan(name: string): Promise<CheckPlan> {
    const known = (await this.all()).find((project) => project.name === name);
    return known?.check_plan ?? NO_CHECKS;
  }

  /** What a template is called in this fleet; its own name when it is no longer a project. */
  nameOf(
    { id, name, display_name }: Pick<Template, 'id' | 'name' | 'display_name'>,
    projects: readonly CoderProject[],
  ) {
    return projects.find((project) => project.template_id === id)?.name ?? (display_name || name);
  }

  async #known(project: Project): Promise<CoderProject> {
    const known = (await this.all()).find(({ template_id }) => template_id === project.template_id);
    if (known !== undefined) return known;
    throw new FleetError(
      'NOT_FOUND',
      `The template of the project ${quote(project.name)} no longer exists.`,
      {
        field: 'project',
      },
    );
  }

  async #look(): Promise<{ projects: CoderProject[]; unusable: UnusableTemplate[] }> {
    const templates = await this.#context.client.ask('/templates', templatesSchema);
    const judged = await Promise.all(
      templates.map(async (template) => ({ template, why: await this.#problem(template) })),
    );
    const usable = judged.filter(({ why }) => why === undefined).map(({ template }) => template);
    const unusable = judged.flatMap(({ template, why }) =>
      why === undefined ? [] : [{ template: fullName(template), why }],
    );
    const projects =
      this.#named.length === 0
        ? usable.map((template) => this.#project(template, { name: nameAmong(template, usable) }))
        : this.#named.flatMap((named) => {
            const template = usable.find((each) => isCalled(each, named.template));
            return template === undefined ? [] : [this.#project(template, named)];
          });
    return { projects, unusable };
  }

  async #problem({ display_name, deprecated, active_version_id }: Template): Promise<string | undefined> {
    if (display_name === '') return 'it has no display name';
    if (deprecated) return 'it is deprecated';
    return drivingProblem(await this.#context.versions.of(active_version_id));
  }

  #project(template: Template, named: Omit<NamedTemplate, 'template'>): CoderProject {
    return {
      id: template.id,
      name: named.name,
      display_name: template.display_name,
      description: named.description ?? template.description,
      template_id: template.id,
      template_name: template.name,
      backend: this.#context.backend,
      aliases: [template.name, fullName(template)],
      version_id: template.active_version_id,
      default_role: named.default_role,
      check_plan: named.check_plan ?? NO_CHECKS,
    };
  }
}

/** Display names may be given twice: then only the full name tells them apart. */
function nameAmong(template: Template, all: readonly Template[]): string {
  const same = all.filter(({ display_name }) => sameText(display_name, template.display_name));
  return same.length === 1 ? template.display_name : fullName(template);
}

function isCalled(template: Template, wanted: string): boolean {
  return [template.display_name, template.name, fullName(template)].some((name) => sameText(name, wanted));
}

function fullName({ organization_name, name }: Template): string {
  return `${organization_name}/${name}`;
}

function sameText(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
