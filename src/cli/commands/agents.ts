import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Command } from 'commander';
import { adapterOf, versionDirectory } from '../../agents/adapter-of.ts';
import { CODING_AGENTS, codingAgent, type CodingAgent } from '../../agents/catalogue.ts';
import { installAdapter } from '../../agents/install-adapter.ts';
import { removeAdapter } from '../../agents/remove-adapter.ts';
import { FleetError, quote } from '../../domain/errors.ts';
import { nearest } from '../../domain/text.ts';
import { ensureHome, resolveHome } from '../../platform/home.ts';
import { audited } from '../audited.ts';
import type { Cli } from '../cli.ts';
import { codingAgents, type CodingAgentState } from '../coding-agents.ts';
import { examples, jsonOption, refuseInsideAgent } from '../command.ts';
import { openOwned } from '../run-operation.ts';
import { refuseUnknownSubcommand, subcommand } from '../subcommand.ts';
import { table, type Column } from '../table.ts';

interface JsonOption {
  readonly json?: boolean;
}

const COLUMNS: readonly Column<CodingAgentState>[] = [
  { header: 'NAME', value: ({ name }) => name },
  { header: 'WHAT', value: ({ title }) => title },
  { header: 'PINNED', value: ({ pinned_version }) => pinned_version },
  { header: 'INSTALLED', value: ({ installed_version }) => installed_version ?? '-' },
  { header: 'USABLE', value: ({ problem }) => problem ?? 'yes' },
];

export function agentsCommand(command: Command, cli: Cli): void {
  command.description('Coding agents that this fleet can run: what is installed, and what is missing.');
  examples(jsonOption(command), [
    ['fleet agents', 'which of them are usable here'],
    ['fleet agents install claude', 'bring the adapter of Claude Code into the home of the fleet'],
    ['fleet agents login claude', 'log in, by its own program'],
  ]);
  command.action((options: JsonOption) => {
    refuseInsideAgent(cli, 'fleet agents');
    refuseUnknownSubcommand(command);
    const agents = codingAgents(resolveHome(cli.env), cli.env);
    if (options.json === true) return cli.out.json({ agents });
    cli.out.write(table(agents, COLUMNS, { columns: cli.out.columns, paint: cli.out.paint }));
  });
  installCommand(subcommand(command, 'install', 'Install the adapter of a coding agent, by npm.'), cli);
  removeCommand(subcommand(command, 'remove', 'Remove what was installed of a coding agent.'), cli);
  loginCommand(subcommand(command, 'login', 'Log a coding agent in, by its own program.'), cli);
}

function installCommand(command: Command, cli: Cli): void {
  command
    .argument('<name>', 'name of the coding agent')
    .option('--version <version>', 'another version than the one that Fleet is tested with');
  examples(jsonOption(command), [['fleet agents install codex', 'the version that Fleet is tested with']]);
  command.action(async (name: string, options: JsonOption & { readonly version?: string }) => {
    refuseInsideAgent(cli, 'fleet agents');
    const agent = known(name);
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
  examples(jsonOption(command), [['fleet agents remove codex', 'every version of it']]);
  command.action(async (name: string, options: JsonOption) => {
    refuseInsideAgent(cli, 'fleet agents');
    const agent = known(name);
    await using opened = await openOwned(cli);
    const change = { operation: 'remove_coding_agent', input: { name }, env: cli.env };
    const removed = await audited(opened, change, () => removeAdapter(agent, opened.home));
    if (options.json === true) return cli.out.json({ name, removed });
    cli.out.line(removed ? `${agent.title} was removed.` : `${agent.title} was not installed.`);
  });
}

function loginCommand(command: Command, cli: Cli): void {
  command.argument('<name>', 'name of the coding agent');
  examples(command, [['fleet agents login claude', 'its own program asks, in this terminal']]);
  command.action(async (name: string) => {
    refuseInsideAgent(cli, 'fleet agents');
    const agent = known(name);
    const home = ensureHome(resolveHome(cli.env));
    const adapter = adapterOf(name, home);
    if (adapter === undefined) {
      throw new FleetError(
        'SERVICE_UNAVAILABLE',
        `${agent.title} is not installed. Install it first: fleet agents install ${name}`,
        { reason: 'agent_not_installed' },
      );
    }
    if (agent.login === null) return cli.out.line(`${agent.title} needs no login.`);
    const entry = join(versionDirectory(agent, home, adapter.version), agent.login.entry);
    const child = spawn(process.execPath, [entry, ...agent.login.args], { env: cli.env, stdio: 'inherit' });
    const [code]: unknown[] = await once(child, 'close');
    if (code !== 0) cli.exitCode = 1;
  });
}

function known(name: string): CodingAgent {
  const agent = codingAgent(name);
  if (agent !== undefined) return agent;
  const names = CODING_AGENTS.map((each) => each.name);
  const hint = nearest(name, names);
  throw new FleetError(
    'NOT_FOUND',
    `There is no coding agent ${quote(name)}. ${hint === undefined ? `There are: ${names.join(', ')}.` : `Did you mean "${hint}"?`}`,
    { field: 'name' },
  );
}
