import type { Command } from 'commander';
import { FleetError, quote } from '../../domain/values/errors.ts';
import type { Cli } from '../output/cli.ts';
import { examples, jsonOption, refuseInsideAgent } from '../calls/command.ts';
import { DEFAULT_PORT } from '../../platform/default-port.ts';
import { demoPlace, isConfigured } from '../serving/demo-place.ts';
import { runServer, type ServeOptions } from '../serving/run-server.ts';

export function serveCommand(command: Command, cli: Cli): void {
  command.description('Serve the page, the HTTP API and MCP, and keep agents running, until Ctrl-C.');
  examples(serveOptions(command).option('--or-demo', 'serve the demo if nothing is configured'), [
    ['fleet serve', 'open the link that it prints'],
    ['fleet serve --port 0 --json', 'first line: {"url", "mcp_url", "token_file", "pid"}'],
  ]);
  command.action(async (options: ServeOptions & { readonly orDemo?: boolean }) => {
    refuseInsideAgent(cli, 'fleet serve');
    const demo = options.orDemo === true && !(await isConfigured(cli));
    await runServer(cli, demo ? await demoPlace(cli) : { env: cli.env }, options);
  });
}

/** The options of every command that serves. */
export function serveOptions(command: Command): Command {
  return jsonOption(
    command
      .option('--host <host>', 'address to listen on', '127.0.0.1')
      .option(
        '--port <n>',
        `port to listen on, 0 for any free one (default: ${DEFAULT_PORT}, or any free one)`,
        port,
      ),
  );
}

function port(text: string): number {
  const value = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (value <= 65_535) return value;
  throw new FleetError('INVALID_INPUT', `--port is a number from 0 to 65535; got ${quote(text)}.`, {
    field: 'port',
  });
}
