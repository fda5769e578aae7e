import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { examples, refuseInsideAgent } from '../command.ts';
import { demoPlace } from '../demo-place.ts';
import { runServer, type ServeOptions } from '../run-server.ts';
import { serveOptions } from './serve.ts';

export function demoCommand(command: Command, cli: Cli): void {
  command.description('Serve a small living fleet in a home of its own: no model, no account, real work.');
  examples(serveOptions(command), [['fleet demo', 'and open the link that it prints']]);
  command.action(async (options: ServeOptions) => {
    refuseInsideAgent(cli, 'fleet demo');
    // Whatever is configured is another fleet's.
    cli.config = undefined;
    await runServer(cli, await demoPlace(cli), options);
  });
}
