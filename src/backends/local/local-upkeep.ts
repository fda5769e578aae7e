import type { Actor } from '../../domain/principal.ts';
import { once } from '../../platform/once.ts';
import type { BackendUpkeep, Repaired } from '../backend-upkeep.ts';
import type { GcLimits, GcPart } from '../gc-part.ts';
import { logsPart } from './gc/logs-part.ts';
import { repairLocalAgents } from './kept/repair-agents.ts';
import type { LocalProjects } from './local-projects.ts';
import type { LocalContext } from './records/local-context.ts';

/** Maintenance of the files of this machine's agents. Code that shares little with the backend is loaded when it is
 *  first needed; the rest would only split the package into more files. */
export class LocalUpkeep implements BackendUpkeep {
  readonly #context: LocalContext;
  readonly #projects: () => Promise<LocalProjects>;
  readonly #archives = once(() => import('./kept/keep-archives.ts'));

  constructor(context: LocalContext, projects: () => Promise<LocalProjects>) {
    this.#context = context;
    this.#projects = projects;
  }

  async repair(by: Actor): Promise<readonly Repaired[]> {
    const projects = await this.#projects();
    return repairLocalAgents(this.#context, { by, repositoryOf: (name) => projects.repositoryOf(name) });
  }

  async garbage({ before, archiveBytes, keptBefore }: GcLimits): Promise<readonly GcPart[]> {
    const [{ archivesPart }, { checksPart }, { keptPart }] = await Promise.all([
      import('./gc/archives-part.ts'),
      import('./gc/checks-part.ts'),
      import('./gc/kept-part.ts'),
    ]);
    return [
      archivesPart(this.#context.home, { before, bytes: archiveBytes }),
      checksPart(this.#context.home, before),
      logsPart(this.#context, before),
      keptPart(async () => (await this.#projects()).kept(), keptBefore),
    ];
  }

  async expire(now: number): Promise<void> {
    const { keepArchives } = await this.#archives();
    await keepArchives(this.#context.home, now);
  }

  /** Loads what a long-lived process needs later. */
  async load(): Promise<void> {
    await this.#archives();
  }
}
