import { readFileSync } from 'node:fs';
import type { LocalFleet } from '../support/fleets/local-fleet.ts';
import { processesNaming } from '../support/fleets/local-fleet.ts';

/** The runner of an agent, and all that its task has started: they name its id. */
export function processesOf({ directory }: LocalFleet, workspaceId: string): readonly number[] {
  return processesNaming(directory).filter((pid) =>
    ['cmdline', 'environ'].some((file) => textOf(`/proc/${pid}/${file}`).includes(workspaceId)),
  );
}

/** The runner alone. */
export function runnerOf(fleet: LocalFleet, workspaceId: string): number | undefined {
  return processesOf(fleet, workspaceId).find((pid) =>
    textOf(`/proc/${pid}/cmdline`).includes('runner-main'),
  );
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
