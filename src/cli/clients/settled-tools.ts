import type { Tools } from '../../orchestrator/open-tools.ts';

/** The longest that a server may take to connect. */
const LONGEST_MS = 30_000;

/** Waits until every server that is being started is there, or is not. */
export async function settledTools({ orchestrator: { mcpManager } }: Tools): Promise<void> {
  await Promise.allSettled(mcpManager.connections().map(({ serverName }) => mcpManager.isWell(serverName)));
  const { promise, resolve } = Promise.withResolvers<void>();
  const late = setTimeout(resolve, LONGEST_MS);
  const look = (): void => {
    const waits = mcpManager.connections().some(({ status }) => status.startsWith('connect'));
    if (!waits) resolve();
  };
  const stop = mcpManager.subscribe(look);
  look();
  await promise;
  clearTimeout(late);
  stop();
}
