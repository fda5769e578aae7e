import { randomUUID } from 'node:crypto';
import { FleetError, quote } from '../../../domain/values/errors.ts';
import type { Actor } from '../../../domain/principal.ts';
import { startBuild, waitFor, isBuilding } from './builds.ts';
import type { CoderContext } from '../model/coder-context.ts';
import { isMarked, originIn } from '../model/coder-origin.ts';
import { MANAGED, PARAMETERS } from '../model/parameters.ts';
import { drivingProblem } from '../model/version-store.ts';
import type { Workspace } from '../model/workspace-schema.ts';

const BUILD_LIMIT_MS = 10 * 60_000;

/** Makes a workspace that somebody else made an agent: it is restarted with the parameters that say so, where its
 *  template has them. */
export async function adoptWorkspace(
  context: CoderContext,
  workspace: Workspace,
  { by, role }: { readonly by: Actor; readonly role: string | undefined },
): Promise<void> {
  const version = await context.versions.of(workspace.latest_build.template_version_id);
  const problem = drivingProblem(version);
  if (problem !== undefined) {
    throw new FleetError(
      'INVALID_INPUT',
      `The workspace ${quote(workspace.name)} cannot be an agent: of its template, ${problem}.`,
      { field: 'workspace', reason: 'not_drivable' },
    );
  }
  const preset = version.presets.find(({ name, id }) =>
    role === undefined
      ? id === workspace.latest_build.template_version_preset_id
      : name.toLowerCase() === role.toLowerCase(),
  );
  if (role !== undefined && preset === undefined) {
    throw new FleetError('NOT_FOUND', `The template has no role ${quote(role)}.`, {
      field: 'role',
      roles: version.presets.map(({ name }) => name),
    });
  }
  const parameters = {
    [PARAMETERS.managed]: MANAGED,
    [PARAMETERS.agent_id]: randomUUID(),
    [PARAMETERS.public_key]: context.key().public_text,
    [PARAMETERS.origin]: JSON.stringify({
      project: workspace.template_display_name || workspace.template_name,
      role: preset?.name ?? '-',
      created_at: new Date(context.clock.now().at).toISOString(),
      source: 'human',
      by,
    }),
  };
  if (!isMarked(version)) return context.rows.learn(workspace, originIn(parameters, version));
  if (isBuilding(workspace.latest_build))
    await waitFor(context, workspace.id, {
      limit_ms: BUILD_LIMIT_MS,
      holds: ({ latest_build }) => !isBuilding(latest_build),
    });
  await startBuild(context, workspace, {
    transition: 'start',
    rich_parameter_values: Object.entries(parameters)
      .filter(([name]) => version.parameters.includes(name))
      .map(([name, value]) => ({ name, value })),
    ...(preset === undefined ? {} : { template_version_preset_id: preset.id }),
  });
  context.rows.learn(workspace, originIn(parameters, version));
}

export function noWorkspace(name: string, backend: string): FleetError {
  return new FleetError(
    'NOT_FOUND',
    `There is no workspace ${quote(name)} of this user on the backend "${backend}".`,
    { field: 'workspace' },
  );
}

export function alreadyAgent(name: string): FleetError {
  return new FleetError('CONFLICT', `The workspace ${quote(name)} is an agent already.`, {
    field: 'workspace',
    reason: 'already_agent',
  });
}
