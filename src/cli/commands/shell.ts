import type { Command } from 'commander';
import type { Cli } from '../output/cli.ts';
import { examples, refuseInsideAgent } from '../calls/command.ts';
import { agentPlace } from '../../upkeep/local/agent-place.ts';
import { onThisMachine } from '../../upkeep/local/local-agent.ts';
import { openOwned } from '../../fleet/open-owned.ts';
import { runInTerminal } from '../calls/run-in-terminal.ts';
import { terminalEnds } from '../calls/terminal-ends.ts';

/** What belongs to the terminal at which the caller sits now. */
const OF_TERMINAL = ['TERM', 'COLORTERM'];

export function shellCommand(command: Command, cli: Cli): void {
  command
    .description(
      "Open a shell in the workspace of an agent, inside the agent's sandbox and with its environment; on Coder through the terminal of the workspace. Exits as the shell does.",
    )
    .argument('<name>', 'name of the agent')
    .argument('[command...]', 'a command to run instead of a shell, after --');
  examples(command, [
    ['fleet shell sony', 'look around; exit leaves it'],
    ['fleet shell sony -- git status', 'one command'],
  ]);
  command.action(async (name: string, words: readonly string[]) => {
    refuseInsideAgent(cli, 'fleet shell');
    await using opened = await openOwned(cli);
    const place = await agentPlace(opened, name);
    if (place.backend.terminal !== undefined) {
      cli.exitCode = await place.backend.terminal(place.agent, words, terminalEnds(cli));
      return;
    }
    const { agent, workspaces } = onThisMachine(place, 'fleet shell');
    using shell = await workspaces.shell(agent);
    const isTerminal = cli.stdin.isTTY && cli.out.isTerminal;
    if (shell.open_because !== null)
      cli.err.line(
        `fleet: warning: not in a sandbox (${shell.open_because}): programs run with all your rights.`,
      );
    const login = cli.env['SHELL'] ?? '/bin/sh';
    const own = OF_TERMINAL.flatMap((key) => (cli.env[key] === undefined ? [] : [[key, cli.env[key]]]));
    cli.exitCode = await runInTerminal({
      directory: shell.directory,
      env: { ...shell.env, ...Object.fromEntries(own) },
      command: words.length > 0 ? words : ['env', `SHELL=${login}`, login],
      ...(shell.open_because === null ? { wrap: (line) => shell.wrap(line) } : {}),
      isTerminal,
    });
  });
}
