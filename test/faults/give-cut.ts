import childProcess, { type SpawnOptions } from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CUT_DIRECTORY, CUT_ROLE } from './cut-files.ts';

export const CUT = fileURLToPath(new URL('./cut.ts', import.meta.url));

type Spawn = (file: string, args: readonly string[], options: SpawnOptions) => unknown;

/** Lets the runners that this process starts be cut: they get their own arguments and environment and nothing else. */
export function giveCutToRunners(): void {
  const spawn = childProcess.spawn as unknown as Spawn;
  const withCut: Spawn = (file, args, options) => {
    const at = args.findIndex((arg) => /runner-main\.[jt]s$/.test(arg));
    const home = args[at + 1];
    if (at === -1 || home === undefined) return spawn(file, args, options);
    return spawn(file, ['--import', CUT, ...args], {
      ...options,
      env: { ...options.env, [CUT_DIRECTORY]: dirname(home), [CUT_ROLE]: 'runner' },
    });
  };
  Object.assign(childProcess, { spawn: withCut });
  syncBuiltinESMExports();
}
