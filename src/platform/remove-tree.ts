import { chmodSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Removes a directory and all that is in it, whatever modes an agent has set there. */
export function removeTree(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    openDirectories(path);
    rmSync(path, { recursive: true, force: true });
  }
}

/** Some tools make directories that nothing can be removed from. */
function openDirectories(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  chmodSync(path, 0o700);
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory()) openDirectories(join(path, entry.name));
  }
}
