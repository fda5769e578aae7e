import type { Cell } from '../../../platform/processes/cell.ts';
import { runProgram } from '../../../runner/programs/run-program.ts';

export interface WorkspacePlace {
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
  readonly cell: Cell | null;
  readonly workspace_id: string;
}

export interface Ran {
  readonly ok: boolean;
  readonly lines: readonly string[];
}

/** Runs a shell script where the agent's programs run, as they do. */
export async function runInWorkspace(
  { workspace_id, ...place }: WorkspacePlace,
  script: string,
  { args, stdin = '' }: { readonly args: readonly string[]; readonly stdin?: string },
): Promise<Ran> {
  const lines: string[] = [];
  const add = (line: string): void => void lines.push(line);
  const exit = await runProgram(
    {
      ...place,
      command: ['sh', '-c', script, 'fleet-update', ...args],
      marker: workspace_id,
      stdin,
      onOutput: add,
      onError: add,
    },
    new AbortController().signal,
  );
  return { ok: exit.kind === 'exited' && exit.code === 0, lines };
}
