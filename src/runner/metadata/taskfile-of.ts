import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { TASKFILE_NAMES } from './taskfile-names.ts';

/** The Taskfile of a directory itself; go-task would also look above it. */
export function taskfileOf(directory: string): string | undefined {
  return TASKFILE_NAMES.map((name) => join(directory, name)).find((file) => existsSync(file));
}
