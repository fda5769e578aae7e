import type { Command } from 'commander';
import type { Cli } from '../output/cli.ts';
import { examples, jsonOption, refuseInsideAgent } from '../calls/command.ts';
import { openToolsOf } from '../calls/open-tools-of.ts';
import { serverNamed } from '../clients/server-named.ts';
import { openBrowser } from '../serving/open-browser.ts';

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
    const definition = serverNamed(tools, name);
    const [{ OAuthVault }, { oauthLogin }] = await Promise.all([
      import('../../orchestrator/oauth/oauth-vault.ts'),
      import('../../orchestrator/oauth/oauth-login.ts'),
    ]);
    const vault = new OAuthVault(opened.home);
    if (options.out === true) vault.forget(definition.url ?? '');
    else {
      const show = (address: URL): void => {
        cli.err.line(`Open this address to log in:\n${address.href}`);
        if (options.browser) openBrowser(address.href, cli.env);
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
