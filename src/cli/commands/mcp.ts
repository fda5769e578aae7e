import type { Command } from 'commander';
import { FleetError, quote } from '../../domain/errors.ts';
import type { Caller, Scope } from '../../domain/principal.ts';
import { nearest } from '../../domain/text.ts';
import type { Tools } from '../../orchestrator/open-tools.ts';
import type { Cli } from '../cli.ts';
import { examples } from '../command.ts';
import { openOwned, openSession } from '../run-operation.ts';
import { stopOnSignals } from '../stop-on-signals.ts';
import { refuseUnknownSubcommand, subcommand } from '../subcommand.ts';
import { packageVersion } from '../../platform/package.ts';
import { mcpInstallCommand } from './mcp-install.ts';

const GIVEN_SCOPES = ['read', 'operate', 'approve'] as const satisfies readonly Scope[];

export function mcpCommand(command: Command, cli: Cli): void {
  command
    .description('Serve MCP on stdin and stdout, for a client that starts this command.')
    .option(
      '--scopes <scopes>',
      'what the client may do, separated by commas: read, operate, approve (default: read,operate)',
    )
    .option('--view <view>', 'only the tools that this view of fleet.yaml shows');
  examples(command, [
    ['fleet mcp install', 'write an entry that starts it for Claude Code into ./.mcp.json'],
    ['claude mcp add fleet -- fleet mcp', 'the same by Claude Code itself'],
    ['fleet mcp --scopes read', 'a client that may only look'],
    ['fleet mcp --view docs', 'a client that is given a part of the tools'],
  ]);
  mcpInstallCommand(
    subcommand(command, 'install', 'Write an entry that starts this fleet into the file of an MCP client.'),
    cli,
  );
  command.action(async (options: { readonly scopes?: string; readonly view?: string }) => {
    refuseUnknownSubcommand(command);
    const scopes = options.scopes === undefined ? undefined : parseScopes(options.scopes);
    if (scopes !== undefined && cli.insideAgent) {
      throw new FleetError(
        'FORBIDDEN',
        'Inside an agent MCP has the scope self and no other: leave out --scopes.',
        {
          field: 'scopes',
        },
      );
    }
    const stop = stopOnSignals();
    const { serveMcpStdio } = await import('../../server/stdio.ts');
    const serving = { version: packageVersion(), signal: stop };
    if (cli.insideAgent) {
      await using session = await openSession(cli);
      await session.loadAll();
      const { fleet, caller } = session;
      await serveMcpStdio({ ...serving, fleet, caller });
      return;
    }
    await using opened = await openOwned(cli);
    await opened.loadAll();
    const { openTools } = await import('../../orchestrator/open-tools.ts');
    const { fleet, home } = opened;
    await using tools = await openTools({
      home,
      env: cli.env,
      hosts: false,
      config: await opened.config(),
      fleet,
    });
    const { view } = options;
    if (view !== undefined) requireView(tools, view);
    const caller = stdioClient(scopes ?? new Set(['read', 'operate']), view);
    const { makeToolDoor } = await import('../../server/tool-door.ts');
    using door = makeToolDoor({ tools, fleet, home, book: opened.calls });
    await serveMcpStdio({ ...serving, fleet, caller, tools: door });
  });
}

export function parseScopes(text: string): ReadonlySet<Scope> {
  const words = text.split(',').map((word) => word.trim());
  return new Set(
    words.map((word) => {
      const scope = GIVEN_SCOPES.find((known) => known === word);
      if (scope !== undefined) return scope;
      const hint = nearest(word, GIVEN_SCOPES);
      const meant = hint === undefined ? '' : ` Did you mean "${hint}"?`;
      throw new FleetError(
        'INVALID_INPUT',
        `${quote(word)} is not a scope: they are ${GIVEN_SCOPES.join(', ')}.${meant}`,
        {
          field: 'scopes',
        },
      );
    }),
  );
}

function requireView({ views }: Tools, name: string): void {
  if (views.has(name)) return;
  throw new FleetError('NOT_FOUND', `There is no view ${quote(name)}. Add it to views of fleet.yaml.`, {
    field: 'view',
    reason: 'no_such_view',
  });
}

function stdioClient(scopes: ReadonlySet<Scope>, view: string | undefined): Caller {
  return {
    principal: { kind: 'mcp', name: 'stdio' },
    door: 'mcp-stdio',
    source: 'ai',
    scopes,
    ...(view === undefined ? {} : { views: [view] }),
  };
}
