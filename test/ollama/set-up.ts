import { buildOllama } from './build-ollama.ts';

let problem: string | undefined;

/** Before all tests with a real Ollama. */
export async function setup(): Promise<void> {
  problem = await buildOllama((line) => console.error(line));
}

/** What was skipped is said at the end, where it is seen. */
export function teardown(): void {
  if (problem !== undefined)
    console.error(`\nNot tested: the tests with a real Ollama were skipped. ${problem}`);
}
