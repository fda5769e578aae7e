import { z } from 'zod';
import type { CoderClient } from '../client/coder-client.ts';
import type { CoderRows } from './coder-rows.ts';
import { FLEET_APP, PARAMETERS } from './parameters.ts';
import { presetsSchema, richParametersSchema } from './template-schema.ts';

const factsSchema = z.object({
  parameters: z.array(z.string()),
  apps: z.array(z.string()),
  /** The app that is AgentAPI. */
  agentapi: z.string().nullable().default(null),
  presets: z.array(
    z.object({ id: z.string(), name: z.string(), description: z.string(), default: z.boolean() }),
  ),
});

/** What a version of a template has. It never changes. */
export type VersionFacts = z.output<typeof factsSchema>;

const appSchema = z.object({
  slug: z.string(),
  healthcheck: z.object({ url: z.string().default('') }).nullish(),
});

const resourcesSchema = z
  .array(
    z.object({
      agents: z.array(z.object({ apps: z.array(appSchema).nullish() })).nullish(),
    }),
  )
  .nullish();

/** The names that AgentAPI's app is given. */
const AGENTAPI_APPS = ['ccw', 'agentapi'];
/** What a template must have that runs AgentAPI. */
const AGENTAPI_PARAMETERS = [PARAMETERS.task, 'system_prompt'];

/** Why Fleet cannot drive the workspaces of a version; undefined when it can. */
export function drivingProblem(version: VersionFacts): string | undefined {
  const { parameters, apps } = version;
  if (hasRunner(version)) return undefined;
  const missing = (wanted: readonly string[]): string =>
    `it lacks the parameters ${wanted.filter((name) => !parameters.includes(name)).join(', ')}`;
  const agentapi = agentApiOf(version);
  if (agentapi !== undefined) {
    return AGENTAPI_PARAMETERS.every((name) => parameters.includes(name))
      ? undefined
      : `its app "${agentapi}" is AgentAPI, and ${missing(AGENTAPI_PARAMETERS)}`;
  }
  return apps.includes(FLEET_APP) ? missing(Object.values(PARAMETERS)) : `it has no app "${FLEET_APP}"`;
}

/** The app by which the agents of a version are driven when they have no runner of ours. */
export function agentApiOf(version: VersionFacts): string | undefined {
  if (hasRunner(version)) return undefined;
  return version.agentapi ?? version.apps.find((slug) => AGENTAPI_APPS.includes(slug));
}

function hasRunner({ parameters, apps }: VersionFacts): boolean {
  return apps.includes(FLEET_APP) && Object.values(PARAMETERS).every((name) => parameters.includes(name));
}

/** Versions of templates that were looked at, kept for good. */
export class VersionStore {
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
    const apps = agents.flatMap((agent) => agent.apps ?? []);
    const facts = {
      parameters: parameters.map(({ name }) => name),
      apps: [...new Set(apps.map(({ slug }) => slug))],
      // It is asked for its status to know whether it is well.
      agentapi: apps.find(({ healthcheck }) => healthcheck?.url.endsWith('/status'))?.slug ?? null,
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
