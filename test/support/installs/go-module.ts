import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

export async function hasGo(): Promise<boolean> {
  return await promisify(execFile)('go', ['version']).then(
    () => true,
    () => false,
  );
}

export interface GoModule {
  /** The sources, as the module registry has them. */
  readonly directory: string;
  /** Runs go in a directory; its output. */
  go(cwd: string, ...args: string[]): Promise<string>;
}

/** Downloads a module, such as `code.gitea.io/gitea@v1.24.0`. Go's own caches are left as they are: what is built from it
 *  is wanted by nobody else. */
export async function goModule(scratch: string, name: string): Promise<GoModule> {
  const env = {
    ...process.env,
    GOMODCACHE: join(scratch, 'modules'),
    GOCACHE: join(scratch, 'objects'),
    GOFLAGS: '-modcacherw -buildvcs=false',
    GOTOOLCHAIN: 'local',
  };
  const go = async (cwd: string, ...args: string[]): Promise<string> =>
    (await promisify(execFile)('go', args, { cwd, env, maxBuffer: 67_108_864 })).stdout;
  const module: unknown = JSON.parse(await go(scratch, 'mod', 'download', '-json', name));
  if (typeof module !== 'object' || module === null || !('Dir' in module) || typeof module.Dir !== 'string')
    throw new Error('go mod download did not say where the module is');
  return { directory: module.Dir, go };
}
