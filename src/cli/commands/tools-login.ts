import { spawn } from 'node:child_process';
import type { Command } from 'commander';
import { FleetError, quote } from '../../domain/errors.ts';
import type { Tools } from '../../orchestrator/open-tools.ts';
import type { ServerDefinition } from '../../orchestrator/server-definition.ts';
import type { Cli } from '../cli.ts';
import { examples, jsonOption, refuseInsideAgent } from '../command.ts';
import { openToolsOf } from '../open-tools-of.ts';

interface LoginOptions {
  readonly out?: boolean;
  readonly browser: boolean;
  readonly json?: boolean;
}

export function toolsLoginCommand(command: Command, cli: Cli): void {
  command
    .argument('<server>', 'name of a server of mcpServers that has a url')
    .option('--out', 'forget the login')
    .option('--no-browser', 'only print the address');
  examples(jsonOption(command), [
    ['fleet tools login remote', 'opens a browser, and waits for it'],
    ['fleet tools login remote --out', 'forget it'],
  ]);
  command.action(async (name: string, options: LoginOptions) => {
    refuseInsideAgent(cli, 'fleet tools login');
    await using used = await openToolsOf(cli);
    const { opened, tools } = used;
    const definition = definitionOf(tools, name);
    const [{ OAuthVault }, { oauthLogin }] = await Promise.all([
      import('../../orchestrator/oauth-vault.ts'),
      import('../../orchestrator/oauth-login.ts'),
    ]);
    const vault = new OAuthVault(opened.home);
    if (options.out === true) vault.forget(definition.url ?? '');
    else {
      const show = (address: URL): void => {
        cli.err.line(`Open this address to log in:\n${address.href}`);
        if (options.browser) openBrowser(address, cli.env);
      };
      await oauthLogin(definition, { vault, show, signal: cli.untilStopped() });
      await tools.orchestrator.mcpManager.retry(name);
    }
    if (options.json === true) return cli.out.json({ server: name, logged_in: options.out !== true });
    cli.out.line(
      options.out === true ? `The login to ${name} is forgotten.` : `You are logged in to ${name}.`,
    );
  });
}

function definitionOf(tools: Tools, name: string): ServerDefinition {
  const all = tools.definitions();
  const found = all.find((each) => each.name === name);
  if (found !== undefined) return found;
  const names = all.map((each) => each.name);
  throw new FleetError(
    'NOT_FOUND',
    `There is no MCP server ${quote(name)}. There are: ${names.join(', ') || 'none'}.`,
    { field: 'server', servers: names },
  );
}

/** Where there is none, the user has the address. */
function openBrowser(address: URL, env: NodeJS.ProcessEnv): void {
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
  spawn(program, [address.href], { env, stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref();
}
