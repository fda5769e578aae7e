import { FleetError, quote } from '../../domain/values/errors.ts';
import type { Fleet } from '../../fleet/fleet.ts';
import type { OpenedFleet } from '../../fleet/open-fleet.ts';
import { packageVersion } from '../../platform/package.ts';
import type { RunningServer, StartServerParts } from '../../server/serve.ts';
import type { Cli } from '../output/cli.ts';
import { provideDoctor } from '../calls/provide-doctor.ts';
import { clientEntry } from '../clients/client-entry.ts';
import { DEFAULT_PORT } from '../../platform/default-port.ts';
import { jsonText } from '../output/printable.ts';
import { publicUrlOf } from './public-url-of.ts';
import { signInLinks, type SignInLinks } from './sign-in-links.ts';
import { stopOnSignals } from './stop-on-signals.ts';

export interface ServeOptions {
  readonly host: string;
  readonly port?: number;
  readonly json?: boolean;
}

/** The fleet to serve. */
export interface ServedPlace {
  readonly env: NodeJS.ProcessEnv;
  /** What to say of it first. */
  readonly greeting?: string;
  /** Done once the server is there. */
  readonly stage?: (fleet: Fleet) => Promise<void>;
}

/** Serves a fleet until it is stopped. */
export async function runServer(cli: Cli, place: ServedPlace, options: ServeOptions): Promise<void> {
  const stop = stopOnSignals();
  const [
    { startServer },
    { Authenticator, readOrMakeToken, tokenFile },
    { TokenStore },
    { SessionStore },
    { SignInCodes },
    { RunningServers },
    { startKeeper },
    { openFleet },
    { openTools },
    { makeToolService },
    { ChatService },
  ] = await Promise.all([
    import('../../server/serve.ts'),
    import('../../server/http/auth.ts'),
    import('../../fleet/access/token-store.ts'),
    import('../../fleet/access/session-store.ts'),
    import('../../fleet/access/sign-in-codes.ts'),
    import('../../fleet/access/running-servers.ts'),
    import('../../fleet/keeper.ts'),
    import('../../fleet/open-fleet.ts'),
    import('../../orchestrator/open-tools.ts'),
    import('../../orchestrator/calls/tool-service.ts'),
    import('../../server/chat/chat-service.ts'),
  ]);
  const { env } = place;
  await using opened = openFleet({
    env,
    cwd: cli.cwd,
    ...(cli.config === undefined ? {} : { config: cli.config }),
  });
  await opened.loadAll();
  provideDoctor(opened.fleet, { env, cwd: cli.cwd, config: cli.config });
  const codes = new SignInCodes(opened.home);
  const authenticator = new Authenticator({
    sessions: new SessionStore(opened.home),
    codes,
    token: readOrMakeToken(opened.home, env),
    others: new TokenStore(opened.home),
  });
  await using tools = await openTools({
    home: opened.home,
    env,
    hosts: true,
    config: await opened.config(),
    fleet: opened.fleet,
    warn: (line) => cli.err.line(`fleet: warning: ${line}`),
  });
  const { fleet, home, calls: approvals } = opened;
  using service = makeToolService({ tools, fleet, home, approvals });
  const config = await opened.config();
  const parts = {
    fleet: opened.fleet,
    tools: service,
    chat: new ChatService({ home, fleet, tools: service, config, approvals, env }),
    authenticator,
    version: packageVersion(),
    demo: place.stage !== undefined,
    host: options.host,
    publicUrl: publicUrlOf(config),
    signal: stop,
  };
  const server = await startSomewhere(startServer, parts, options.port);
  using _noted = new RunningServers(home).note({ url: server.url, public_url: parts.publicUrl ?? null });
  if (!isLoopback(options.host)) {
    cli.err.line(
      `fleet: warning: ${quote(options.host)} can be reached from other machines, without encryption. Anyone with the token can run programs here.`,
    );
  }
  const keeping = startKeeper(opened, stop);
  if (options.json === true) {
    const { url, mcp_url } = server;
    cli.out.line(jsonText({ url, mcp_url, token_file: tokenFile(opened.home), pid: process.pid }));
  } else {
    if (place.greeting !== undefined) cli.out.line(`${place.greeting}\n`);
    const token = (env['FLEET_TOKEN'] ?? '') === '' ? tokenFile(opened.home) : 'FLEET_TOKEN';
    await printStartupInfo(cli, opened, {
      server,
      links: signInLinks(codes, { url: server.url, public_url: parts.publicUrl ?? null }),
      token,
      problem: tools.problem(),
    });
  }
  await place.stage?.(opened.fleet);
  await keeping;
  await server.close();
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

interface StartupInfo {
  readonly server: RunningServer;
  readonly links: SignInLinks;
  /** Where the bearer token is. */
  readonly token: string;
  /** Of the tools that were configured. */
  readonly problem: string | undefined;
}

async function printStartupInfo(
  cli: Cli,
  opened: OpenedFleet,
  { server, links, token, problem }: StartupInfo,
): Promise<void> {
  const config = await configOf(opened);
  const warning = config.problem ?? problem;
  if (warning !== undefined) cli.err.line(`fleet: warning: ${warning}`);
  cli.out.line(
    `The page (a one-time link, valid for ten minutes; fleet open makes a new one):\n  ${links.link}`,
  );
  if (links.public_link !== null) cli.out.line(`  ${links.public_link}`);
  cli.out.line(`\nMCP over HTTP:\n  ${server.mcp_url}\n  with the bearer token from ${token}`);
  cli.out.line('\nMCP over stdio, an entry for an MCP client:');
  cli.out.line(jsonText({ mcpServers: { fleet: clientEntry(opened.home, config.path) } }, 2));
  cli.out.line('\nCtrl-C stops the server; agents keep working.');
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
