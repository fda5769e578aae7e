import childProcess, { type SpawnOptions } from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CUT_DIRECTORY, CUT_ROLE } from './cut-files.ts';

export const CUT = fileURLToPath(new URL('./cut.ts', import.meta.url));

type Spawn = (file: string, args: readonly string[], options: SpawnOptions) => unknown;

/** The programs that outlive who started them, and what they are called here. */
const PROGRAMS = { runner: /runner-main\.[jt]s$/, worker: /merge-main\.[jt]s$/ };

/** Lets the runners and workers that this process starts be cut: they get their own arguments and environment and nothing
 *  else. */
export function giveCutToRunners(): void {
  const spawn = childProcess.spawn as unknown as Spawn;
  const withCut: Spawn = (file, args, options) => {
    for (const [role, program] of Object.entries(PROGRAMS)) {
      const home = args[args.findIndex((arg) => program.test(arg)) + 1];
      if (home === undefined || !args.some((arg) => program.test(arg))) continue;
      return spawn(file, ['--import', CUT, ...args], {
        ...options,
        env: { ...(options.env ?? process.env), [CUT_DIRECTORY]: dirname(home), [CUT_ROLE]: role },
      });
    }
    return spawn(file, args, options);
  };
  Object.assign(childProcess, { spawn: withCut });
  syncBuiltinESMExports();
}
