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

/** The parameters by which AgentAPI templates take their prompts. */
const PROMPTS = ['ai_prompt', 'system_prompt'];
export const AGENTAPI_APPS = ['ccw', 'agentapi'];

/** How Fleet drives the workspaces of a version: by its own runner, by AgentAPI, or not at all. */
export function kindOf({ parameters, apps }: VersionFacts): 'runner' | 'agentapi' | { readonly why: string } {
  const missing = Object.values(PARAMETERS).filter((name) => !parameters.includes(name));
  if (missing.length === 0 && apps.includes(FLEET_APP)) return 'runner';
  const noPrompts = PROMPTS.filter((name) => !parameters.includes(name));
  const hasAgentApi = apps.some((slug) => AGENTAPI_APPS.includes(slug));
  if (noPrompts.length === 0 && hasAgentApi) return 'agentapi';
  if (apps.includes(FLEET_APP)) return { why: `it lacks the parameters ${missing.join(', ')}` };
  if (hasAgentApi) return { why: `it lacks the parameters ${noPrompts.join(', ')}` };
  return { why: `it has no app "${FLEET_APP}" and none of AgentAPI (${AGENTAPI_APPS.join(', ')})` };
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
