import type { Command } from 'commander';
import { leftOutText } from '../../orchestrator/servers/left-out-note.ts';
import type { Tools } from '../../orchestrator/open-tools.ts';
import type { Cli } from '../output/cli.ts';
import { examples, jsonOption, refuseInsideAgent } from '../calls/command.ts';
import { openToolsOf } from '../calls/open-tools-of.ts';
import { terminalUser } from '../calls/run-operation.ts';
import { settledTools } from '../clients/settled-tools.ts';
import { refuseUnknownSubcommand, subcommand } from '../calls/subcommand.ts';
import { isModule, serverTable, toolsDocument, toolsView, toolTable } from '../output/tools-view.ts';
import { toolsAcceptCommand } from './tools-accept.ts';
import { toolsCallCommand } from './tools-call.ts';
import { toolsImportCommand } from './tools-import.ts';
import { toolsLoginCommand } from './tools-login.ts';

const SAY_MS = 1_500;

export function toolsCommand(command: Command, cli: Cli): void {
  command.description('Show the MCP servers and tool modules of this fleet, their health, and their tools.');
  examples(jsonOption(command), [
    ['fleet tools', 'servers and tools'],
    [`fleet tools call files__read '{"path": "README.md"}'`, 'call one'],
    ['fleet tools import', 'import the servers of Claude Code, Cursor and VS Code'],
  ]);
  toolsCallCommand(
    subcommand(command, 'call', 'Call a tool of an MCP server: one JSON document on stdout.'),
    cli,
  );
  toolsAcceptCommand(
    subcommand(command, 'accept', 'Accept that tools of a server promise less danger than before.'),
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
    await settledTools(tools);
    const toolAgents = await opened.opened.fleet.toolAgents.list(terminalUser(cli.env));
    const view = toolsView(tools, toolAgents);
    const { servers } = view;
    // One that cannot be read says what is wrong with it.
    if (servers.length === 0) (await opened.opened.config()).current();
    if (options.json === true) return cli.out.json(toolsDocument(tools, view));
    const problem = tools.problem();
    if (problem !== undefined) cli.err.line(`fleet: warning: ${problem}`);
    if (servers.length === 0 && !toolAgents.some(isModule)) {
      // A configuration that cannot be used may have some.
      if (problem === undefined)
        cli.out.line('There are no MCP servers: add some to mcpServers of fleet.yaml.');
      return;
    }
    cli.out.write(serverTable(tools, view, cli));
    const named = tools.orchestrator.upstreamTools;
    if (named.length + view.modules.size > 0) cli.out.write(`\n${toolTable(tools, view, cli)}`);
    for (const { serverName, leftOut } of servers) {
      for (const each of leftOut)
        cli.err.line(`fleet: warning: ${serverName} lists a ${leftOutText(each)}: it is not offered`);
    }
    for (const { name, server, loosened } of named.filter((tool) => tool.loosened.length > 0)) {
      cli.err.line(
        `fleet: warning: ${name} is held at its stricter ${loosened.join(', ')} until you run: fleet tools accept ${server}`,
      );
    }
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
