import { join } from 'node:path';

export interface TaskTextOptions {
  /** Goes on until the stage releases it. */
  readonly held?: boolean;
  /** Lines of shell between its first mark and its last. */
  readonly steps?: readonly string[];
}

/** A task for `sh -s` that leaves a mark when it begins and when it is done. */
export function taskText(
  directory: string,
  key: string,
  { held = false, steps = [] }: TaskTextOptions = {},
): string {
  const marks = join(directory, 'marks', key);
  return [
    `# task ${key}`,
    `echo begun >> '${marks}'`,
    ...steps,
    ...(held ? [`while [ ! -e '${join(directory, 'go')}' ]; do sleep 0.02; done`] : []),
    `echo done >> '${marks}'`,
  ].join('\n');
}

/** The key of a task that was made by `taskText`. */
export function keyOfTask(message: string): string | undefined {
  return /^# task (\S+)/.exec(message)?.[1];
}
