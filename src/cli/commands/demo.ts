import type { Command } from 'commander';
import type { Cli } from '../output/cli.ts';
import { examples, refuseInsideAgent } from '../calls/command.ts';
import { demoPlace } from '../serving/demo-place.ts';
import { runServer, type ServeOptions } from '../serving/run-server.ts';
import { serveOptions } from './serve.ts';

export function demoCommand(command: Command, cli: Cli): void {
  command.description(
    'Serve a demo fleet in its own home. Its agents do real work and need no model and no account.',
  );
  examples(serveOptions(command), [['fleet demo', 'open the link that it prints']]);
  command.action(async (options: ServeOptions) => {
    refuseInsideAgent(cli, 'fleet demo');
    // Whatever is configured is another fleet's.
    cli.config = undefined;
    await runServer(cli, await demoPlace(cli), options);
  });
}
