import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Command } from 'commander';
import { adapterOf, versionDirectory } from '../../agents/adapter-of.ts';
import type { CodingAgent, Login } from '../../agents/catalogue.ts';
import { FleetLogins } from '../../agents/fleet-logins.ts';
import { FleetError } from '../../domain/values/errors.ts';
import { isSandboxed } from '../../platform/processes/containment.ts';
import { ensureHome, resolveHome } from '../../platform/home.ts';
import { audited } from '../calls/audited.ts';
import type { Cli } from '../output/cli.ts';
import { examples, jsonOption, refuseInsideAgent } from '../calls/command.ts';
import { knownCodingAgent } from '../clients/known-coding-agent.ts';
import { readSecret } from '../calls/read-secret.ts';
import { openOwned } from '../../fleet/open-owned.ts';

interface LoginOptions {
  readonly json?: boolean;
  readonly withToken?: boolean;
}

export function agentsLoginCommand(command: Command, cli: Cli): void {
  command
    .argument('<name>', 'name of the coding agent')
    .option('--with-token', 'read the token from standard input, and start no program');
  examples(jsonOption(command), [
    ['fleet agents login claude', 'Claude Code makes a token in this terminal; paste it when asked'],
    ['fleet agents login claude --with-token < token.txt', 'in a script'],
  ]);
  command.action(async (name: string, options: LoginOptions) => {
    refuseInsideAgent(cli, 'fleet agents');
    const agent = knownCodingAgent(name);
    const { login } = agent;
    if (login?.token === undefined) return logInOtherwise(cli, agent, options);
    const { token: variable } = login;
    await using opened = await openOwned(cli);
    if (options.withToken !== true && !(await runLogin(cli, { agent, login, home: opened.home }, options)))
      return;
    const token = checked(await readSecret(cli, `Paste the token that ${agent.title} has printed: `));
    const change = { operation: 'login_coding_agent', input: { name }, env: cli.env };
    await audited(opened, change, () => new FleetLogins(opened.home).write(name, token));
    if (options.json === true) return cli.out.json({ name, variable, logged_in: true });
    cli.out.line(`Logged in. Agents of ${agent.title} get the token as ${variable} when they start.`);
  });
}

export function agentsLogoutCommand(command: Command, cli: Cli): void {
  command.argument('<name>', 'name of the coding agent');
  examples(jsonOption(command), [
    ['fleet agents logout claude', 'agents that run keep the token until they are restarted'],
  ]);
  command.action(async (name: string, options: LoginOptions) => {
    refuseInsideAgent(cli, 'fleet agents');
    const agent = knownCodingAgent(name);
    await using opened = await openOwned(cli);
    const change = { operation: 'logout_coding_agent', input: { name }, env: cli.env };
    const removed = await audited(opened, change, () => new FleetLogins(opened.home).remove(name));
    if (options.json === true) return cli.out.json({ name, removed });
    cli.out.line(
      removed
        ? `The fleet's own login to ${agent.title} was removed. Agents that run keep it until they are restarted.`
        : `This fleet had no login of its own to ${agent.title}.`,
    );
  });
}

/** For a coding agent of which the fleet can keep no login. */
async function logInOtherwise(cli: Cli, agent: CodingAgent, options: LoginOptions): Promise<void> {
  const { login, title, name } = agent;
  if (login === null) {
    if (options.json === true) return cli.out.json({ name, variable: null, logged_in: true });
    return cli.out.line(`${title} needs no login.`);
  }
  if (options.withToken === true || isSandboxed(true)) {
    throw new FleetError(
      'INVALID_INPUT',
      `The fleet keeps no login to ${title}, and sandboxed agents do not use your own. Set ${login.variables.join(' or ')} where you create agents.`,
      { field: 'name' },
    );
  }
  const home = ensureHome(resolveHome(cli.env));
  const logged_in = await runLogin(cli, { agent, login, home }, options);
  if (options.json === true) cli.out.json({ name, variable: null, logged_in });
}

/** Runs the login of its own program in this terminal; false when that failed. */
async function runLogin(
  cli: Cli,
  { agent, login, home }: { readonly agent: CodingAgent; readonly login: Login; readonly home: string },
  { json }: LoginOptions,
): Promise<boolean> {
  const adapter = adapterOf(agent.name, home);
  if (adapter === undefined) {
    throw new FleetError(
      'SERVICE_UNAVAILABLE',
      `${agent.title} is not installed. Install it first: fleet agents install ${agent.name}`,
      { reason: 'agent_not_installed' },
    );
  }
  if (login.token !== undefined && !cli.stdin.isTTY) {
    throw new FleetError(
      'INVALID_INPUT',
      `There is no terminal to ask on. In a script, give the token on standard input: fleet agents login ${agent.name} --with-token`,
      { field: 'with-token' },
    );
  }
  const entry = join(versionDirectory(agent, home, adapter.version), login.entry);
  const child = spawn(process.execPath, [entry, ...login.args], {
    env: cli.env,
    stdio: ['inherit', json === true ? 2 : 'inherit', 'inherit'],
  });
  const [code]: unknown[] = await once(child, 'close');
  if (code !== 0) cli.exitCode = 1;
  return code === 0;
}

function checked(text: string): string {
  const token = text.trim();
  // It is not quoted: it may be a token with something beside it.
  if (token === '' || /\s/.test(token)) {
    throw new FleetError(
      'INVALID_INPUT',
      token === '' ? 'The token is empty.' : 'The token has white space in it: give the token alone.',
      { field: 'token' },
    );
  }
  return token;
}
