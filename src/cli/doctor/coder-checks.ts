import { checkServer } from '../../backends/coder/check-server.ts';
import type { Cli } from '../cli.ts';
import type { Check } from '../doctor-checks.ts';
import { openOwned } from '../run-operation.ts';

/** What there is to say of each Coder server. */
export async function coderChecks(cli: Cli): Promise<readonly Check[]> {
  await using opened = await openOwned(cli);
  const all = await Promise.all((await opened.coder()).map((backend) => checkServer(backend)));
  return all.flat();
}
