import { joinChecks } from '../../../domain/review/checks.ts';
import { checksOfSpec } from '../../local/workspace/agent-checks.ts';
import type { CheckPlan } from '../model/check-plan.ts';
import type { CoderContext } from '../model/coder-context.ts';
import { originOf, withChecks, type WireChecks } from '../model/coder-origin.ts';
import { PARAMETERS } from '../model/parameters.ts';
import { parametersSchema, type Workspace } from '../model/workspace-schema.ts';

/** The checks of a project and of a spec, as a workspace is told of them. */
export function wireChecks({ checks, setup, copy }: CheckPlan, spec: string | null): WireChecks {
  const all = joinChecks(checks, checksOfSpec(spec));
  if (all.length === 0) return {};
  return { checks: all, ...(setup === null ? {} : { setup }), ...(copy.length === 0 ? {} : { copy }) };
}

/** The parameter that a workspace starts again with, when the configuration has other checks now. */
export async function freshChecks(
  { client }: CoderContext,
  { latest_build }: Workspace,
  planOf: (project: string) => Promise<CheckPlan>,
): Promise<Readonly<Record<string, string>>> {
  const given = await client.ask(`/workspacebuilds/${latest_build.id}/parameters`, parametersSchema);
  const parameters = Object.fromEntries(given.map(({ name, value }) => [name, value]));
  const before = parameters[PARAMETERS.origin] ?? '';
  const project = originOf(parameters)?.project;
  if (project === undefined) return {};
  const checked = wireChecks(await planOf(project), parameters[PARAMETERS.spec] ?? '');
  const after = withChecks(before, checked);
  return after === undefined || after === before ? {} : { [PARAMETERS.origin]: after };
}
