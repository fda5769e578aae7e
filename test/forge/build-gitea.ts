import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { builtGitea, forgeCache, GITEA_VERSION } from './forge-cache.ts';

/** Builds the forge from the Go module registry, once; answers with a sentence when it cannot be had here. */
export async function buildGitea(say: (line: string) => void): Promise<string | undefined> {
  if (builtGitea() !== undefined) return undefined;
  if (!(await hasGo())) return 'Go is not on this machine: https://go.dev/dl has it';
  say(`building Gitea ${GITEA_VERSION} into ${forgeCache()}, once; this takes some minutes …`);
  mkdirSync(forgeCache(), { recursive: true });
  const scratch = mkdtempSync(join(forgeCache(), 'building-'));
  try {
    const made = await build(scratch);
    renameSync(made, join(forgeCache(), `gitea-${GITEA_VERSION}`));
    return undefined;
  } catch (thrown) {
    return `Gitea ${GITEA_VERSION} could not be built: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function hasGo(): Promise<boolean> {
  return await promisify(execFile)('go', ['version']).then(
    () => true,
    () => false,
  );
}

/** Go's own caches are left as they are: what is built here is wanted by nobody else. */
async function build(scratch: string): Promise<string> {
  const env = {
    ...process.env,
    GOMODCACHE: join(scratch, 'modules'),
    GOCACHE: join(scratch, 'objects'),
    GOFLAGS: '-modcacherw -buildvcs=false',
    GOTOOLCHAIN: 'local',
  };
  const go = async (cwd: string, ...args: string[]): Promise<string> =>
    (await promisify(execFile)('go', args, { cwd, env, maxBuffer: 67_108_864 })).stdout;
  const module: unknown = JSON.parse(
    await go(scratch, 'mod', 'download', '-json', `code.gitea.io/gitea@v${GITEA_VERSION}`),
  );
  if (typeof module !== 'object' || module === null || !('Dir' in module) || typeof module.Dir !== 'string')
    throw new Error('go mod download did not say where the module is');
  const made = join(scratch, 'made');
  const tags = 'sqlite,sqlite_unlock_notify';
  await go(module.Dir, 'build', '-p', '2', '-tags', tags, '-ldflags', '-s -w', '-o', join(made, 'gitea'));
  for (const part of ['options', 'templates', 'public'])
    cpSync(join(module.Dir, part), join(made, part), { recursive: true });
  return made;
}

if (import.meta.main) {
  const problem = await buildGitea((line) => console.error(line));
  if (problem !== undefined) console.error(problem);
}
