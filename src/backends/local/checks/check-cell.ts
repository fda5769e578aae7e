import { chmodSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter } from 'node:path';
import { isSandboxed } from '../../../platform/processes/containment.ts';
import type { Cell } from '../../../platform/processes/cell.ts';
import { PROCESS_LIMIT } from '../../../platform/processes/process-group.ts';
import { isWithin } from '../../../platform/processes/world.ts';
import { removeTree } from '../../../platform/remove-tree.ts';
import { hiddenPlaces, SHOWN_OF_RUN } from '../workspace/agent-cell.ts';
import { INSIDE } from '../workspace/inside.ts';
import { cachesOf, projectPlaces } from '../workspace/own-places.ts';
import { sshVariables } from '../workspace/ssh-variables.ts';
import { userSettings } from '../workspace/user-settings.ts';
import type { CheckPlace } from './check-place.ts';
import type { TreePaths } from './tree-paths.ts';

/** A check can write its checkout, temporary files of its own and the caches of its project. It sees the rest of the
 *  machine read-only, without the fleet's home, without sockets of the user, and without paths that a role hides. */
export function checkCell(place: CheckPlace, paths: TreePaths): Cell {
  const { home, project, env, plan, clone, hide = [] } = place;
  const caches = cachesOf(home, project);
  for (const directory of [paths.root, paths.scratch, caches])
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  const userHome = env['HOME'] ?? homedir();
  const visible = [homedir(), userHome, plan.repository, clone.lender, '/etc/resolv.conf'].filter(
    (path) => !hide.some((hidden) => isWithin(hidden, path)),
  );
  return {
    world: {
      root: paths.root,
      scratch: paths.scratch,
      replaced: [
        { path: '/tmp', by: paths.temporary },
        { path: '/var/tmp', by: paths.longTemporary },
      ],
      hidden: [...hiddenPlaces(home), ...hide],
      shown: [
        ...[paths.work, caches, paths.temporary].map((from) => ({ from, writable: true })),
        ...[...visible, process.execPath].map((from) => ({ from, writable: false })),
        ...SHOWN_OF_RUN.map((path) => ({ from: path, at: path, writable: false })),
        { from: caches, at: INSIDE.caches, writable: true },
      ],
    },
    links: userSettings(caches, { agent: 'command', env }, { state: paths.temporary }),
    processes: PROCESS_LIMIT,
    group: null,
    network: true,
  };
}

/** The variables of a check. */
export async function checkVariables(place: CheckPlace): Promise<Record<string, string>> {
  const { home, project, env, plan } = place;
  const path = env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin';
  const own = { ...env, FLEET_PROJECT: project };
  if (!isSandboxed(place.contained !== false)) return { ...own, PATH: path };
  const { programs, defaults } = projectPlaces(home, project);
  return {
    ...(await sshVariables(plan)),
    ...defaults,
    ...own,
    PATH: [path, ...programs].join(delimiter),
  };
}

/** Makes the temporary directories of a check, empty. */
export function makeTemporary({ temporary, longTemporary }: TreePaths): void {
  for (const directory of [temporary, longTemporary]) {
    removeTree(directory);
    mkdirSync(directory, { recursive: true });
    chmodSync(directory, 0o1777);
  }
}
