import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import type { Cell } from '../../platform/processes/cell.ts';
import { contain, RUN_MARKER } from '../../platform/processes/containment.ts';
import { makeProcessGroup } from '../../platform/processes/process-group.ts';

export interface ProgramStart {
  readonly command: readonly string[];
  readonly directory: string;
  readonly env: Readonly<NodeJS.ProcessEnv>;
  /** Names the agent that it runs for: all that it starts is found by this and gone when it has ended. */
  readonly marker: string;
  /** What it sees of the fleet's own places; null for a program that is not contained. */
  readonly cell: Cell | null;
}

/** Starts a program inside the containment. */
export function startProgram(program: ProgramStart): ChildProcessWithoutNullStreams {
  const { command, directory, env, marker } = program;
  const cell =
    program.cell === null
      ? null
      : { ...program.cell, group: makeProcessGroup(marker, program.cell.processes) };
  const { file, args } = contain(command, { directory, cell });
  return spawn(file, [...args], {
    cwd: directory,
    env: { ...env, [RUN_MARKER]: marker },
    stdio: 'pipe',
    detached: true,
  });
}
