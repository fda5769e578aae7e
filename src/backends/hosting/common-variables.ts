import { delimiter } from 'node:path';
import { givenSpec, type Launch } from '../../domain/launch.ts';
import { variableText } from '../../domain/values/text.ts';
import { installFleetCommand } from './install-fleet-command.ts';

/** What every agent has in its environment, wherever it runs: its own `fleet` command, and who it is. */
export function commonVariables(
  launch: Launch,
  { bin, programs = [] }: { readonly bin: string; readonly programs?: readonly string[] },
): Record<string, string> {
  installFleetCommand(bin);
  return {
    PATH: [bin, launch.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin', ...programs].join(delimiter),
    FLEET_AGENT: launch.name,
    FLEET_ROLE: launch.role,
    FLEET_PROJECT: launch.project,
    FLEET_SPEC: variableText(givenSpec(launch)),
    FLEET_WORKSPACE_ID: launch.workspace_id,
  };
}
