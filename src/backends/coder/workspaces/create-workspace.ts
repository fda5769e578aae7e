import { FleetError, quote } from '../../../domain/values/errors.ts';
import type { CreateRequest } from '../../backend.ts';
import { lookAt, lookFor } from './builds.ts';
import { isOutcomeUnknown } from '../client/coder-client.ts';
import type { CoderContext } from '../model/coder-context.ts';
import { isMarked, originIn, parametersOf, type WireChecks } from '../model/coder-origin.ts';
import { listBy } from './list-workspaces.ts';
import { checkParameterSize, PARAMETERS } from '../model/parameters.ts';
import { parametersSchema, workspaceSchema, type Workspace } from '../model/workspace-schema.ts';

const TRIES = 4;

/** Makes a workspace with the first task among its parameters. Doing it again with the same id is harmless. */
export async function createWorkspace(
  context: CoderContext,
  request: CreateRequest,
  { versionId, checked }: { readonly versionId: string; readonly checked: WireChecks },
): Promise<Workspace> {
  checkParameterSize('task', request.task);
  checkParameterSize('spec', request.spec ?? '');
  const made = await madeBefore(context, request);
  if (made !== undefined) return made;
  const version = await context.versions.of(versionId);
  const marked = isMarked(version);
  if (!marked && (await lookFor(context, request.name)) !== undefined) throw nameTaken(request.name);
  const created_at = new Date(context.clock.now().at).toISOString();
  const parameters = parametersOf(request, {
    created_at,
    public_key: context.key().public_text,
    checked,
  });
  checkParameterSize('checks', parameters[PARAMETERS.origin] ?? '');
  const body = {
    name: request.name,
    template_version_id: versionId,
    template_version_preset_id: request.role.id,
    // What a template does not have Coder would drop without a word.
    rich_parameter_values: Object.entries(parameters)
      .filter(([name]) => version.parameters.includes(name))
      .map(([name, value]) => ({ name, value })),
  };
  const learned = (workspace: Workspace): Workspace => {
    context.rows.learn(workspace, originIn(parameters, version));
    return workspace;
  };
  for (let attempt = 1; ; attempt++) {
    try {
      const asked = { method: 'POST', body } as const;
      return learned(await context.client.ask('/users/me/workspaces', workspaceSchema, asked));
    } catch (thrown) {
      const taken = thrown instanceof FleetError && thrown.code === 'CONFLICT';
      if (!taken && !isOutcomeUnknown(thrown)) throw thrown;
      const own = await madeBefore(context, request);
      if (own !== undefined) return own;
      const ours = marked ? undefined : await madeJustNow(context, request);
      if (ours !== undefined) return learned(ours);
      if (taken) throw nameTaken(request.name);
      if (attempt === TRIES) throw thrown;
    }
  }
}

/** The workspace that was made for this id, by any process. */
export async function madeBefore(
  context: CoderContext,
  request: CreateRequest,
): Promise<Workspace | undefined> {
  const known = context.rows.byAgentId(request.workspace_id);
  if (known?.gone === true) {
    throw new FleetError(
      'CONFLICT',
      `This idempotency key created the agent ${quote(known.name)}, which has been deleted. Use another key.`,
      { field: 'idempotency_key', reason: 'agent_deleted' },
    );
  }
  if (known?.origin?.unmarked === true) return lookAt(context, known.workspace_id);
  const [workspace] = await listBy(
    context.client,
    `owner:me param:${PARAMETERS.agent_id}=${request.workspace_id}`,
  );
  return workspace;
}

/** A workspace that cannot say whose it is: nobody had that name before, and it has our task. */
async function madeJustNow(
  context: CoderContext,
  { name, task }: CreateRequest,
): Promise<Workspace | undefined> {
  const workspace = await lookFor(context, name);
  if (workspace === undefined) return undefined;
  const path = `/workspacebuilds/${workspace.latest_build.id}/parameters`;
  const given = await context.client.ask(path, parametersSchema);
  const ours = given.some((each) => each.name === PARAMETERS.task && each.value === task);
  return ours ? workspace : undefined;
}

export function nameTaken(name: string): FleetError {
  return new FleetError(
    'CONFLICT',
    `There is a workspace ${quote(name)} on Coder already. Choose another name, or leave it out.`,
    { field: 'name', reason: 'name_taken' },
  );
}
