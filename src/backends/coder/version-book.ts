import { z } from 'zod';
import type { CoderClient } from './client/coder-client.ts';
import type { CoderRows } from './coder-rows.ts';
import { FLEET_APP, PARAMETERS } from './parameters.ts';
import { presetsSchema, richParametersSchema } from './template-schema.ts';

const factsSchema = z.object({
  parameters: z.array(z.string()),
  apps: z.array(z.string()),
  presets: z.array(
    z.object({ id: z.string(), name: z.string(), description: z.string(), default: z.boolean() }),
  ),
});

/** What a version of a template has. It never changes. */
export type VersionFacts = z.output<typeof factsSchema>;

const resourcesSchema = z
  .array(
    z.object({
      agents: z.array(z.object({ apps: z.array(z.object({ slug: z.string() })).nullish() })).nullish(),
    }),
  )
  .nullish();

/** Apps by which AgentAPI is known. */
const AGENTAPI_APPS = ['ccw', 'agentapi'];

/** Why Fleet cannot drive the workspaces of a version; undefined when it can. */
export function drivingProblem({ parameters, apps }: VersionFacts): string | undefined {
  const missing = Object.values(PARAMETERS).filter((name) => !parameters.includes(name));
  if (apps.includes(FLEET_APP))
    return missing.length === 0 ? undefined : `it lacks the parameters ${missing.join(', ')}`;
  const agentApi = apps.find((slug) => AGENTAPI_APPS.includes(slug));
  if (agentApi !== undefined) return `its app "${agentApi}" is AgentAPI, which this version does not drive`;
  return `it has no app "${FLEET_APP}"`;
}

/** Versions of templates that were looked at, kept for good. */
export class VersionBook {
  readonly #client: CoderClient;
  readonly #rows: CoderRows;
  readonly #known = new Map<string, VersionFacts>();

  constructor(client: CoderClient, rows: CoderRows) {
    this.#client = client;
    this.#rows = rows;
  }

  async of(versionId: string): Promise<VersionFacts> {
    const known = this.known(versionId);
    if (known !== undefined) return known;
    const path = `/templateversions/${versionId}`;
    const [parameters, presets, resources] = await Promise.all([
      this.#client.ask(`${path}/rich-parameters`, richParametersSchema),
      this.#client.ask(`${path}/presets`, presetsSchema),
      this.#client.ask(`${path}/resources`, resourcesSchema),
    ]);
    const agents = (resources ?? []).flatMap((resource) => resource.agents ?? []);
    const facts = {
      parameters: parameters.map(({ name }) => name),
      apps: [...new Set(agents.flatMap((agent) => agent.apps ?? []).map(({ slug }) => slug))],
      presets: presets.map((preset) => ({
        id: preset.ID,
        name: preset.Name,
        description: preset.Description,
        default: preset.Default,
      })),
    };
    this.#rows.setVersion(versionId, facts);
    this.#known.set(versionId, facts);
    return facts;
  }

  /** Without asking anybody. */
  known(versionId: string): VersionFacts | undefined {
    const held = this.#known.get(versionId);
    if (held !== undefined) return held;
    const stored = factsSchema.safeParse(this.#rows.version(versionId)).data;
    if (stored !== undefined) this.#known.set(versionId, stored);
    return stored;
  }
}
