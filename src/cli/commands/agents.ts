import type { Command } from 'commander';
import { installAdapter } from '../../agents/install-adapter.ts';
import { removeAdapter } from '../../agents/remove-adapter.ts';
import { resolveHome } from '../../platform/home.ts';
import { audited } from '../calls/audited.ts';
import type { Cli } from '../output/cli.ts';
import { codingAgents, type CodingAgentState } from '../../upkeep/local/coding-agents.ts';
import { examples, jsonOption, refuseInsideAgent } from '../calls/command.ts';
import { knownCodingAgent } from '../clients/known-coding-agent.ts';
import { loginText } from '../../upkeep/doctor/login-text.ts';
import { openOwned } from '../../fleet/open-owned.ts';
import { refuseUnknownSubcommand, subcommand } from '../calls/subcommand.ts';
import { table, type Column } from '../output/table.ts';
import { agentsLoginCommand, agentsLogoutCommand } from './agents-login.ts';

interface JsonOption {
  readonly json?: boolean;
}

const COLUMNS: readonly Column<CodingAgentState>[] = [
  { header: 'NAME', value: ({ name }) => name },
  { header: 'WHAT', value: ({ title }) => title },
  { header: 'PINNED', value: ({ pinned_version }) => pinned_version, drop: 1 },
  { header: 'INSTALLED', value: ({ installed_version }) => installed_version ?? '-' },
  { header: 'LOGIN', value: ({ login }) => loginText(login), drop: 2 },
  { header: 'USABLE', value: usableText },
];

/** With the command that makes it usable, which fits a terminal of 80 columns; `--json` has the whole sentence. */
function usableText({ problem, command }: CodingAgentState): string {
  if (problem === null) return 'yes';
  return command === null ? problem : `no: ${command}`;
}

export function agentsCommand(command: Command, cli: Cli): void {
  command.description('List the coding agents that this fleet can run, and what is missing for each.');
  examples(jsonOption(command), [
    ['fleet agents', 'the coding agents that can be used here'],
    ['fleet agents install claude', 'install the adapter of Claude Code into the fleet home'],
    ['fleet agents login claude', "a login of the fleet's own, for all its agents of Claude Code"],
  ]);
  command.action((options: JsonOption) => {
    refuseInsideAgent(cli, 'fleet agents');
    refuseUnknownSubcommand(command);
    const agents = codingAgents(resolveHome(cli.env), cli.env);
    if (options.json === true) return cli.out.json({ agents });
    cli.out.write(table(agents, COLUMNS, { columns: cli.out.columns, paint: cli.out.paint }));
  });
  installCommand(subcommand(command, 'install', 'Install the adapter of a coding agent with npm.'), cli);
  removeCommand(subcommand(command, 'remove', 'Remove the installed adapter of a coding agent.'), cli);
  agentsLoginCommand(subcommand(command, 'login', 'Log the agents of this fleet in to a coding agent.'), cli);
  agentsLogoutCommand(subcommand(command, 'logout', "Remove the fleet's own login to a coding agent."), cli);
}

function installCommand(command: Command, cli: Cli): void {
  command
    .argument('<name>', 'name of the coding agent')
    .option('--version <version>', 'a version other than the one that Fleet is tested with');
  examples(jsonOption(command), [['fleet agents install codex', 'the version that Fleet is tested with']]);
  command.action(async (name: string, options: JsonOption & { readonly version?: string }) => {
    refuseInsideAgent(cli, 'fleet agents');
    const agent = knownCodingAgent(name);
    await using opened = await openOwned(cli);
    const input = { name, version: options.version ?? agent.version };
    const { version, directory, was_there } = await audited(
      opened,
      { operation: 'install_coding_agent', input, env: cli.env },
      () =>
        installAdapter(agent, {
          home: opened.home,
          version: options.version,
          env: cli.env,
          signal: cli.untilStopped(),
          onProgress: (line) => cli.err.line(line),
        }),
    );
    if (options.json === true) return cli.out.json({ name, version, directory, was_there });
    cli.out.line(`${agent.title} ${version} ${was_there ? 'was installed already' : 'is installed'}.`);
    const problem = codingAgents(opened.home, cli.env).find((each) => each.name === name)?.problem ?? null;
    if (problem !== null) cli.err.line(problem);
  });
}

function removeCommand(command: Command, cli: Cli): void {
  command.argument('<name>', 'name of the coding agent');
  examples(jsonOption(command), [['fleet agents remove codex', 'every installed version']]);
  command.action(async (name: string, options: JsonOption) => {
    refuseInsideAgent(cli, 'fleet agents');
    const agent = knownCodingAgent(name);
    await using opened = await openOwned(cli);
    const change = { operation: 'remove_coding_agent', input: { name }, env: cli.env };
    const removed = await audited(opened, change, () => removeAdapter(agent, opened.home));
    if (options.json === true) return cli.out.json({ name, removed });
    cli.out.line(removed ? `${agent.title} was removed.` : `${agent.title} was not installed.`);
  });
}
