import type { Launch } from './launch.ts';
import { mayRunCommands } from './may-run-commands.ts';

/** Why the fields of a Taskfile are not run for an agent; undefined when they are. */
export function fieldRefusal(launch: Launch): string | undefined {
  const { role, metadata } = launch;
  if (metadata === false) return `the role ${role} has metadata: false`;
  if (metadata === true || mayRunCommands(launch)) return undefined;
  return `an agent of the role ${role} can write files and asks before it runs commands, and a field would run what the agent wrote. To allow it, add metadata: true to the role in fleet.yaml, then restart the agent`;
}
