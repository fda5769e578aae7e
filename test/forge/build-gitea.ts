import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { builtGitea, forgeCache, GITEA_VERSION } from './forge-cache.ts';
import { goModule, hasGo } from '../support/installs/go-module.ts';

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

async function build(scratch: string): Promise<string> {
  const { directory, go } = await goModule(scratch, `code.gitea.io/gitea@v${GITEA_VERSION}`);
  const made = join(scratch, 'made');
  const tags = 'sqlite,sqlite_unlock_notify';
  await go(directory, 'build', '-p', '2', '-tags', tags, '-ldflags', '-s -w', '-o', join(made, 'gitea'));
  for (const part of ['options', 'templates', 'public'])
    cpSync(join(directory, part), join(made, part), { recursive: true });
  return made;
}

if (import.meta.main) {
  const problem = await buildGitea((line) => console.error(line));
  if (problem !== undefined) console.error(problem);
}
