import { NO_FIELDS } from '../../../domain/metadata/taskfile-metadata.ts';
import type { AgentDetails } from '../../backend.ts';
import { lookFor } from './builds.ts';
import type { CoderContext } from '../model/coder-context.ts';
import { originIn, pullRequestBefore } from '../model/coder-origin.ts';
import { parametersSchema } from '../model/workspace-schema.ts';
import { workspaceState } from '../model/workspace-state.ts';

/** Agents of other users, by `owner/name`: what Coder says of them, to look at only. Their runners speak to their owners. */
export class OthersAgents {
  readonly #context: CoderContext;
  readonly #seen = new Map<string, AgentDetails>();

  constructor(context: CoderContext) {
    this.#context = context;
  }

  async find(name: string): Promise<AgentDetails | undefined> {
    const [owner = '', own = ''] = name.split('/');
    const workspace = await lookFor(this.#context, own, owner);
    if (workspace === undefined) return undefined;
    const { client, versions, backend, clock } = this.#context;
    const { id, template_version_id } = workspace.latest_build;
    const given = await client.ask(`/workspacebuilds/${id}/parameters`, parametersSchema);
    const parameters = Object.fromEntries(given.map((each) => [each.name, each.value]));
    const origin = originIn(parameters, await versions.of(template_version_id));
    if (origin === null) return undefined;
    const known = { origin, summary: null, unhealthy_since: null, failure: null };
    const agent: AgentDetails = {
      name: `${workspace.owner_name}/${workspace.name}`,
      workspace_id: workspace.id,
      project: origin.project || workspace.template_display_name || workspace.template_name,
      role: origin.role || '-',
      backend,
      created_at: new Date(workspace.created_at).toISOString(),
      created_by: origin.created_by || `coder:${workspace.owner_name}`,
      ...workspaceState(workspace, known, clock.now()),
      git: null,
      pull_request: pullRequestBefore(origin),
      listed: NO_FIELDS,
      spec: origin.spec,
      metadata: origin.published,
      fields: {},
    };
    this.#seen.set(workspace.id, agent);
    return agent;
  }

  /** Undefined for an agent of this user. */
  details({ workspace_id, name }: { readonly workspace_id: string; readonly name: string }) {
    return name.includes('/') ? this.#seen.get(workspace_id) : undefined;
  }
}
