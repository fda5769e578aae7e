import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { builtOllama, ollamaCache, OLLAMA_VERSION } from './ollama-cache.ts';
import { goModule, hasGo } from '../support/installs/go-module.ts';

/** Builds Ollama from the Go module registry, once; answers with a sentence when it cannot be had here. */
export async function buildOllama(say: (line: string) => void): Promise<string | undefined> {
  if (builtOllama() !== undefined) return undefined;
  if (!(await hasGo())) return 'Go is not on this machine: https://go.dev/dl has it';
  say(`building Ollama ${OLLAMA_VERSION} into ${ollamaCache()}, once; this takes some minutes …`);
  mkdirSync(ollamaCache(), { recursive: true });
  const scratch = mkdtempSync(join(ollamaCache(), 'building-'));
  try {
    renameSync(await build(scratch), join(ollamaCache(), `ollama-${OLLAMA_VERSION}`));
    return undefined;
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    return `Ollama ${OLLAMA_VERSION} could not be built: ${why}`;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function build(scratch: string): Promise<string> {
  const { directory, go } = await goModule(scratch, `github.com/ollama/ollama@v${OLLAMA_VERSION}`);
  const source = join(scratch, 'source');
  cpSync(directory, source, { recursive: true });
  const made = join(scratch, 'made');
  await go(source, 'build', '-p', '2', '-ldflags', '-s -w', '-o', join(made, 'ollama'), '.');
  return made;
}

if (import.meta.main) {
  const problem = await buildOllama((line) => console.error(line));
  if (problem !== undefined) console.error(problem);
}
