import { agentsCache } from './agents-cache.ts';
import { installAgents, type Missing } from './install-agents.ts';

let missing: readonly Missing[] = [];

/** Before all tests with real agents. */
export async function setup(): Promise<void> {
  missing = await installAgents((line) => console.error(line));
}

/** What was skipped for want of an agent is said at the end, where it is seen. */
export function teardown(): void {
  if (missing.length === 0) return;
  const names = missing.map(({ name }) => name).join(', ');
  console.error(`\nNot tested, because it could not be brought into ${agentsCache()}: ${names}`);
}
