import type { OpenedFleet } from '../../fleet/open-fleet.ts';
import type { Tools } from '../../orchestrator/open-tools.ts';
import type { Cli } from '../output/cli.ts';
import { openOwned } from '../../fleet/open-owned.ts';

export interface OpenedTools extends AsyncDisposable {
  readonly opened: OpenedFleet;
  readonly tools: Tools;
}

/** The upstream servers of this fleet, for one command. */
export async function openToolsOf(cli: Cli): Promise<OpenedTools> {
  const opened = await openOwned(cli);
  const { openTools } = await import('../../orchestrator/open-tools.ts');
  const tools = await openTools({
    home: opened.home,
    env: cli.env,
    hosts: false,
    config: await opened.config(),
    fleet: opened.fleet,
  });
  return {
    opened,
    tools,
    [Symbol.asyncDispose]: async () => {
      await tools[Symbol.asyncDispose]();
      await opened[Symbol.asyncDispose]();
    },
  };
}
