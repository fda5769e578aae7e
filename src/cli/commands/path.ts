import type { Command } from 'commander';
import type { Cli } from '../output/cli.ts';
import { examples, jsonOption, refuseInsideAgent } from '../calls/command.ts';
import { localAgent } from '../../upkeep/local/local-agent.ts';
import { openOwned } from '../../fleet/open-owned.ts';

export function pathCommand(command: Command, cli: Cli): void {
  command
    .description(
      'Print the directory in which an agent works. Do not run git or other programs there: use fleet shell.',
    )
    .argument('<name>', 'name of the agent');
  examples(jsonOption(command), [['less "$(fleet path sony)/README.md"', 'read a file of its workspace']]);
  command.action(async (name: string, options: { readonly json?: boolean }) => {
    refuseInsideAgent(cli, 'fleet path');
    await using opened = await openOwned(cli);
    const { agent, workspaces } = await localAgent(opened, name, 'fleet path');
    const path = workspaces.directoryOf(agent);
    if (options.json === true) return cli.out.json({ agent_name: agent.name, path });
    cli.out.line(path);
    cli.err.line(
      `fleet: warning: git and other programs run there with settings that the agent can have written. Use fleet shell ${agent.name}, which runs them in its sandbox.`,
    );
  });
}
