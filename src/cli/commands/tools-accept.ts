import type { Command } from 'commander';
import type { Cli } from '../output/cli.ts';
import { examples, jsonOption, refuseInsideAgent } from '../calls/command.ts';
import { openToolsOf } from '../calls/open-tools-of.ts';
import { serverNamed } from '../clients/server-named.ts';

export function toolsAcceptCommand(command: Command, cli: Cli): void {
  command.argument('<server>', 'name of a server of mcpServers');
  examples(jsonOption(command), [['fleet tools accept files', 'accept the current hints of its tools']]);
  command.action(async (name: string, options: { readonly json?: boolean }) => {
    refuseInsideAgent(cli, 'fleet tools accept');
    await using used = await openToolsOf(cli);
    const { tools } = used;
    const { name: server } = serverNamed(tools, name);
    await tools.orchestrator.mcpManager.wake(server);
    tools.orchestrator.refresh();
    const accepted = tools.accept(server).map((tool) => ({ tool: tool.name, loosened: tool.loosened }));
    if (options.json === true) return cli.out.json({ server, accepted });
    if (accepted.length === 0) return cli.out.line(`Nothing to accept: no tool of ${server} was held.`);
    for (const { tool, loosened } of accepted) cli.out.line(`Accepted ${tool}: ${loosened.join(', ')}.`);
  });
}
