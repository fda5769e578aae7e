import type { Command } from 'commander';
import type { McpConnection } from '../../orchestrator/mcp-connection.ts';
import type { Tools } from '../../orchestrator/open-tools.ts';
import type { Cli } from '../cli.ts';
import { examples, jsonOption, refuseInsideAgent } from '../command.ts';
import { openToolsOf } from '../open-tools-of.ts';
import { refuseUnknownSubcommand, subcommand } from '../subcommand.ts';
import { table } from '../table.ts';
import { toolsCallCommand } from './tools-call.ts';
import { toolsImportCommand } from './tools-import.ts';
import { toolsLoginCommand } from './tools-login.ts';

/** The longest that a server may take to connect. */
const LONGEST_MS = 30_000;
const SAY_MS = 1_500;

export function toolsCommand(command: Command, cli: Cli): void {
  command.description('Show the MCP servers behind the doors of this fleet, how they are, and their tools.');
  examples(jsonOption(command), [
    ['fleet tools', 'servers and tools'],
    [`fleet tools call files__read '{"path": "README.md"}'`, 'call one'],
    ['fleet tools import', 'take the servers that Claude Code, Cursor and VS Code have here'],
  ]);
  toolsCallCommand(
    subcommand(command, 'call', 'Call a tool of an MCP server: one JSON document on stdout.'),
    cli,
  );
  toolsImportCommand(
    subcommand(command, 'import', 'Write the MCP servers of other clients into fleet.yaml.'),
    cli,
  );
  toolsLoginCommand(
    subcommand(command, 'login', 'Log in to a remote MCP server by a browser, or log out.'),
    cli,
  );
  command.action(async (options: { readonly json?: boolean }) => {
    refuseInsideAgent(cli, 'fleet tools');
    refuseUnknownSubcommand(command);
    await using opened = await openToolsOf(cli);
    const { tools } = opened;
    using _waiting = sayWhatIsAwaited(tools, cli);
    await settled(tools);
    const servers = tools.orchestrator.mcpManager.connections();
    // One that cannot be read says what is wrong with it.
    if (servers.length === 0) (await opened.opened.config()).current();
    if (options.json === true) return cli.out.json(document(tools, servers));
    const problem = tools.problem();
    if (problem !== undefined) cli.err.line(`fleet: warning: ${problem}`);
    if (servers.length === 0)
      return cli.out.line('There are no MCP servers: add some to mcpServers of fleet.yaml.');
    cli.out.write(serverTable(servers, cli));
    const named = tools.orchestrator.upstreamTools;
    if (named.length > 0) cli.out.write(`\n${toolTable(tools, cli)}`);
    for (const { wanted, server, offered_as } of tools.orchestrator.collisions) {
      const became = offered_as === null ? 'its second is not offered' : `it is offered as ${offered_as}`;
      cli.err.line(`fleet: warning: ${server} has a tool whose name ${wanted} is taken: ${became}`);
    }
  });
}

/** Nobody looks at nothing for as long as a slow server may take. */
function sayWhatIsAwaited({ orchestrator: { mcpManager } }: Tools, cli: Cli): Disposable {
  const timer = setTimeout(() => {
    const awaited = mcpManager.connections().filter(({ status }) => !['ready', 'error'].includes(status));
    const names = awaited.map(({ serverName, error }) => `${serverName} (${error ?? 'starting'})`);
    if (names.length > 0) cli.err.line(`fleet: waiting for ${names.join(', ')} …`);
  }, SAY_MS);
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}

/** Waits until every server that is being started is there, or is not. */
async function settled({ orchestrator: { mcpManager } }: Tools): Promise<void> {
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

function document(tools: Tools, servers: readonly McpConnection[]) {
  const { orchestrator } = tools;
  const problem = tools.problem();
  return {
    servers: servers.map(({ serverName, status, era, error, pid, lastHealthCheck, offered, calls }) => ({
      server: serverName,
      status,
      offered,
      era: era ?? null,
      pid: pid ?? null,
      error: error ?? null,
      last_health_check: lastHealthCheck ?? null,
      calls,
    })),
    tools: orchestrator.upstreamTools.map(({ name, agent, tool, gated }) => ({
      name,
      server: agent.name,
      tool: tool.name,
      gated,
      definition: { ...tool, name },
    })),
    collisions: orchestrator.collisions,
    ...(problem === undefined ? {} : { problem }),
  };
}

function serverTable(servers: readonly McpConnection[], cli: Cli): string {
  return table(
    servers,
    [
      { header: 'SERVER', value: ({ serverName }) => serverName },
      { header: 'STATUS', value: statusOf },
      { header: 'TOOLS', value: ({ offered, tools }) => String(offered ? tools.length : 0) },
      { header: 'CALLS', value: ({ calls }) => String(calls.count) },
      { header: 'P50', value: ({ calls }) => (calls.p50_ms === null ? '' : `${calls.p50_ms} ms`) },
      { header: 'NOTE', value: ({ error }) => error ?? '' },
    ],
    { columns: cli.out.columns, paint: cli.out.paint },
  );
}

function statusOf({ status, offered, error }: McpConnection): string {
  return status === 'disconnected' && offered && error === undefined ? 'asleep' : status;
}

function toolTable({ orchestrator }: Tools, cli: Cli): string {
  return table(
    orchestrator.upstreamTools,
    [
      { header: 'TOOL', value: ({ name }) => name },
      { header: 'ASKS', value: ({ gated }) => (gated ? 'yes' : '') },
      { header: 'DESCRIPTION', value: ({ tool }) => String(tool['description'] ?? tool['title'] ?? '') },
    ],
    { columns: cli.out.columns, paint: cli.out.paint },
  );
}
