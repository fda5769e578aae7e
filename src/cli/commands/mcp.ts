import type { Command } from 'commander';
import { FleetError, quote } from '../../domain/values/errors.ts';
import type { Caller, Scope } from '../../domain/principal.ts';
import { nearest } from '../../domain/values/text.ts';
import type { Tools } from '../../orchestrator/open-tools.ts';
import type { Cli } from '../output/cli.ts';
import { examples } from '../calls/command.ts';
import { provideDoctor } from '../calls/provide-doctor.ts';
import { openSession } from '../calls/run-operation.ts';
import { openOwned } from '../../fleet/open-owned.ts';
import { stopOnSignals } from '../serving/stop-on-signals.ts';
import { refuseUnknownSubcommand, subcommand } from '../calls/subcommand.ts';
import { packageVersion } from '../../platform/package.ts';
import { mcpInstallCommand } from './mcp-install.ts';

const GIVEN_SCOPES = ['read', 'operate', 'approve'] as const satisfies readonly Scope[];

interface McpOptions {
  readonly scopes?: string;
  readonly view?: string;
  readonly tools?: string;
}

export function mcpCommand(command: Command, cli: Cli): void {
  command
    .description('Serve MCP on stdin and stdout, for a client that starts this command.')
    .option(
      '--scopes <scopes>',
      'what the client may do, separated by commas: read, operate, approve (default: read,operate)',
    )
    .option('--view <view>', 'offer only the tools of this view of fleet.yaml')
    .option(
      '--tools <choice>',
      'which operations to list as tools: default, or all, which adds those of kept work (default: default)',
    );
  examples(command, [
    ['fleet mcp install', 'add an entry for Claude Code to ./.mcp.json'],
    ['claude mcp add fleet -- fleet mcp', 'the same with Claude Code itself'],
    ['fleet mcp --scopes read', 'a client that can only read'],
    ['fleet mcp --view docs', 'a client that gets only the tools of one view'],
    ['fleet mcp --tools all', 'list also the tools that few clients need'],
  ]);
  mcpInstallCommand(
    subcommand(command, 'install', 'Add an entry for this fleet to the configuration file of an MCP client.'),
    cli,
  );
  command.action(async (options: McpOptions) => {
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
    const { withTools } = await import('../../server/tool-choice.ts');
    const client = withTools(
      stdioClient(scopes ?? new Set(['read', 'operate']), options.view),
      options.tools,
    );
    const stop = stopOnSignals();
    const { serveMcpStdio } = await import('../../server/stdio/stdio.ts');
    const serving = { version: packageVersion(), signal: stop };
    if (cli.insideAgent) {
      await using session = await openSession(cli);
      await session.loadAll();
      const { fleet, caller } = session;
      await serveMcpStdio({ ...serving, fleet, caller: withTools(caller, options.tools) });
      return;
    }
    await using opened = await openOwned(cli);
    await opened.loadAll();
    const { openTools } = await import('../../orchestrator/open-tools.ts');
    const { fleet, home } = opened;
    provideDoctor(fleet, cli);
    await using tools = await openTools({
      home,
      env: cli.env,
      hosts: false,
      config: await opened.config(),
      fleet,
      warn: (line) => cli.err.line(`fleet: warning: ${line}`),
    });
    const { view } = options;
    if (view !== undefined) requireView(tools, view);
    const { makeToolService } = await import('../../orchestrator/calls/tool-service.ts');
    using service = makeToolService({ tools, fleet, home, approvals: opened.calls });
    const { keepHome } = await import('../../fleet/keeper.ts');
    const ended = new AbortController();
    const keeping = keepHome(opened, ended.signal);
    try {
      await serveMcpStdio({ ...serving, fleet, caller: client, tools: service });
    } finally {
      ended.abort();
      await keeping;
    }
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
