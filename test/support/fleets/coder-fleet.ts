import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { PARAMETERS } from '../../../src/backends/coder/model/parameters.ts';
import { CODER_CONFIG, coderDirectory, openCoderPlace, type CoderPlace } from '../places/coder-place.ts';
import type { StandInTemplate } from '../coder/stand-in-bodies.ts';
import { startStandIn, type StandIn } from '../coder/stand-in.ts';
import type { StandInWorkspace } from '../coder/stand-in-workspace.ts';
import { SCRIPTED } from './local-fleet.ts';

export interface CoderFleet extends CoderPlace {
  readonly standIn: StandIn;
  /** The newest workspace of that name. */
  workspaceOf(name: string): StandInWorkspace;
}

/** A fleet whose projects are templates of a stand-in for Coder. */
export async function coderFleet(config = CODER_CONFIG): Promise<CoderFleet> {
  const directory = coderDirectory();
  const standIn = await startStandIn(
    [
      template('setup', 'Setup', 'Development container for coding tasks'),
      template('dataone', 'DataOne', ''),
    ],
    join(directory, 'workspaces'),
  );
  const end = () => standIn[Symbol.asyncDispose]();
  return {
    ...openCoderPlace({ directory, server: standIn, config, end }),
    standIn,
    workspaceOf: (name) => {
      const found = standIn.workspaces.findLast(({ identity }) => identity.name === name);
      if (found === undefined) throw new Error(`no workspace ${name}`);
      return found;
    },
  };
}

/** A template that Fleet can drive. */
export function template(name: string, display_name: string, description: string): StandInTemplate {
  const roles: Record<string, readonly string[]> = {
    coder: ['sh', '-s'],
    manager: ['sh', '-s'],
    operator: ['sh', '-s'],
    scripted: [process.execPath, SCRIPTED],
  };
  return {
    id: randomUUID(),
    name,
    display_name,
    description,
    version_id: randomUUID(),
    parameters: [...Object.values(PARAMETERS), 'system_prompt', 'fleet_role'],
    apps: ['fleet'],
    presets: Object.entries(roles).map(([role, command]) => ({
      id: randomUUID(),
      name: role,
      description: `The role ${role}`,
      default: role === 'scripted',
      parameters: { fleet_role: JSON.stringify({ agent: 'command', command }) },
    })),
  };
}
