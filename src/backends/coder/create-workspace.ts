import { FleetError, quote } from '../../domain/errors.ts';
import type { CreateRequest } from '../backend.ts';
import { isOutcomeUnknown } from './client/coder-client.ts';
import type { CoderContext } from './coder-context.ts';
import { originOf, parametersOf } from './coder-origin.ts';
import { listBy } from './list-workspaces.ts';
import { checkParameterSize, PARAMETERS } from './parameters.ts';
import { workspaceSchema, type Workspace } from './workspace-schema.ts';

const TRIES = 4;

/** Makes a workspace with the first task among its parameters. Doing it again with the same id is harmless. */
export async function createWorkspace(
  context: CoderContext,
  request: CreateRequest,
  versionId: string,
): Promise<Workspace> {
  checkParameterSize('task', request.task);
  checkParameterSize('spec', request.spec);
  const made = await madeBefore(context, request);
  if (made !== undefined) return made;
  const created_at = new Date(context.clock.now().at).toISOString();
  const parameters = parametersOf(request, { created_at, public_key: context.key().public_text });
  const body = {
    name: request.name,
    template_version_id: versionId,
    template_version_preset_id: request.role.id,
    rich_parameter_values: Object.entries(parameters).map(([name, value]) => ({ name, value })),
  };
  for (let attempt = 1; ; attempt++) {
    try {
      const workspace = await context.client.ask('/users/me/workspaces', workspaceSchema, {
        method: 'POST',
        body,
      });
      context.rows.learn(workspace, originOf(parameters));
      return workspace;
    } catch (thrown) {
      const taken = thrown instanceof FleetError && thrown.code === 'CONFLICT';
      if (!taken && !isOutcomeUnknown(thrown)) throw thrown;
      const own = await madeBefore(context, request);
      if (own !== undefined) return own;
      if (taken) throw nameTaken(request.name);
      if (attempt === TRIES) throw thrown;
    }
  }
}

/** The workspace that was made for this id, by whoever. */
async function madeBefore(context: CoderContext, request: CreateRequest): Promise<Workspace | undefined> {
  const known = context.rows.byAgentId(request.workspace_id);
  if (known?.gone === true) {
    throw new FleetError(
      'CONFLICT',
      `This idempotency key made the agent ${quote(known.name)}, which was deleted since. Use another key.`,
      { field: 'idempotency_key', reason: 'agent_deleted' },
    );
  }
  const [workspace] = await listBy(
    context.client,
    `owner:me param:${PARAMETERS.agent_id}=${request.workspace_id}`,
  );
  return workspace;
}

function nameTaken(name: string): FleetError {
  return new FleetError(
    'CONFLICT',
    `There is a workspace ${quote(name)} on Coder already. Choose another name, or leave it out.`,
    { field: 'name', reason: 'name_taken' },
  );
}
