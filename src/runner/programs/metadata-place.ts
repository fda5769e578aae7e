import type { Launch } from '../../domain/launch.ts';
import type { Cell } from '../../platform/processes/cell.ts';

/** Where and as whom the tasks of a Taskfile run: as the agent, in its workspace, inside its containment. */
export interface MetadataPlace {
  readonly launch: Launch;
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
  readonly cell: Cell | null;
}

const PROCESSES = 512;

/** All that runs for an agent's metadata is found by this, and by nothing that finds its task. */
export function metadataMarker(workspaceId: string): string {
  return `metadata.${workspaceId}`;
}

/** How one of several programs of a collection is started; `part` tells them apart. */
export function metadataProgram({ launch, directory, env, cell }: MetadataPlace, part: string) {
  return {
    directory,
    env,
    marker: `${metadataMarker(launch.workspace_id)}.${part}`,
    cell: cell === null ? null : { ...cell, processes: PROCESSES },
    stdin: '',
  };
}
