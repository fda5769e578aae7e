import type { Command } from 'commander';
import { FleetError, quote } from '../../domain/errors.ts';
import type { OpenedFleet } from '../../fleet/open-fleet.ts';
import type { RunningServer, StartServerParts } from '../../server/serve.ts';
import type { Cli } from '../cli.ts';
import { examples, jsonOption, refuseInsideAgent } from '../command.ts';
import { clientEntry } from '../client-entry.ts';
import { DEFAULT_PORT } from '../default-port.ts';
import { jsonText } from '../printable.ts';
import { openOwned } from '../run-operation.ts';
import { stopOnSignals } from '../stop-on-signals.ts';
import { packageVersion } from '../../platform/package.ts';

interface ServeOptions {
  readonly host: string;
  readonly port?: number;
  readonly json?: boolean;
}

export function serveCommand(command: Command, cli: Cli): void {
  command
    .description('Serve the page, the HTTP API and MCP, and keep the fleet going, until Ctrl-C.')
    .option('--host <host>', 'address to listen on', '127.0.0.1')
    .option(
      '--port <n>',
      `port to listen on, 0 for any free one (default: ${DEFAULT_PORT}, or any free one)`,
      port,
    );
  examples(jsonOption(command), [
    ['fleet serve', 'and open the link that it prints'],
    ['fleet serve --port 0 --json', 'first line: {"url", "mcp_url", "token_file", "pid"}'],
  ]);
  command.action(async (options: ServeOptions) => {
    refuseInsideAgent(cli, 'fleet serve');
    const stop = stopOnSignals();
    const [{ startServer }, { Authenticator, readOrMakeToken, tokenFile }, { startKeeper }] =
      await Promise.all([
        import('../../server/serve.ts'),
        import('../../server/auth.ts'),
        import('../../fleet/keeper.ts'),
      ]);
    await using opened = await openOwned(cli);
    const authenticator = new Authenticator({ token: readOrMakeToken(opened.home, cli.env) });
    const parts = {
      fleet: opened.fleet,
      authenticator,
      version: packageVersion(),
      host: options.host,
      signal: stop,
    };
    const server = await startSomewhere(startServer, parts, options.port);
    if (!isLoopback(options.host)) {
      cli.err.line(
        `fleet: warning: ${quote(options.host)} can be reached from other machines, without encryption. Whoever has the token can run programs here.`,
      );
    }
    const keeping = startKeeper(opened, stop);
    if (options.json === true) {
      const { url, mcp_url } = server;
      cli.out.line(jsonText({ url, mcp_url, token_file: tokenFile(opened.home), pid: process.pid }));
    } else await tellPerson(cli, opened, { server, code: authenticator.makeCode() });
    await keeping;
    await server.close();
  });
}

/** The usual port, or any free one when it is taken and nobody asked for it. */
async function startSomewhere(
  start: (parts: StartServerParts) => Promise<RunningServer>,
  parts: Omit<StartServerParts, 'port'>,
  wanted: number | undefined,
): Promise<RunningServer> {
  try {
    return await start({ ...parts, port: wanted ?? DEFAULT_PORT });
  } catch (thrown) {
    const taken = thrown instanceof FleetError && thrown.details.reason === 'port_in_use';
    if (!taken || wanted !== undefined) throw thrown;
    return await start({ ...parts, port: 0 });
  }
}

interface Told {
  readonly server: RunningServer;
  readonly code: string;
}

async function tellPerson(cli: Cli, opened: OpenedFleet, { server, code }: Told): Promise<void> {
  const config = await configOf(opened);
  if (config.problem !== undefined) cli.err.line(`fleet: warning: ${config.problem}`);
  cli.out.line(`The page, for this browser once within ten minutes:\n  ${server.url}/?code=${code}`);
  cli.out.line(`\nMCP over HTTP (token: fleet token --show):\n  ${server.mcp_url}`);
  cli.out.line('\nFor an MCP client that starts its servers itself:');
  cli.out.line(jsonText({ mcpServers: { fleet: clientEntry(opened.home, config.path) } }, 2));
  cli.out.line('\nCtrl-C ends this; agents go on working.');
}

/** The configuration to name to others. Naming it is trusting it, so that one that is not trusted is left out. */
async function configOf(opened: OpenedFleet): Promise<{ readonly path?: string; readonly problem?: string }> {
  try {
    const { path, trusted } = (await opened.config()).current();
    if (path === null) return { problem: 'no project is configured: run fleet init in a git repository.' };
    return trusted ? { path } : { problem: `${path} is not trusted: read it, then run fleet trust.` };
  } catch (thrown) {
    return { problem: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

function port(text: string): number {
  const value = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (value <= 65_535) return value;
  throw new FleetError('INVALID_INPUT', `--port is a number from 0 to 65535; got ${quote(text)}.`, {
    field: 'port',
  });
}
