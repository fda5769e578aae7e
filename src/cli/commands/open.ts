import type { Command } from 'commander';
import { FleetError } from '../../domain/values/errors.ts';
import { openOwned } from '../../fleet/open-owned.ts';
import { audited } from '../calls/audited.ts';
import { examples, jsonOption, refuseInsideAgent } from '../calls/command.ts';
import type { Cli } from '../output/cli.ts';
import { openBrowser } from '../serving/open-browser.ts';
import { signInLinks } from '../serving/sign-in-links.ts';

interface OpenOptions {
  readonly print?: boolean;
  readonly json?: boolean;
}

export function openCommand(command: Command, cli: Cli): void {
  command
    .description('Open the page of the running fleet serve in a browser, by a new one-time sign-in link.')
    .option('--print', 'only print the link, for another browser or a phone');
  examples(jsonOption(command), [
    ['fleet open', 'prints the link, and opens a browser'],
    ['fleet open --print', 'a link for another browser; it works once, within ten minutes'],
  ]);
  command.action(async (options: OpenOptions) => {
    refuseInsideAgent(cli, 'fleet open');
    const [{ RunningServers }, { SignInCodes }] = await Promise.all([
      import('../../fleet/access/running-servers.ts'),
      import('../../fleet/access/sign-in-codes.ts'),
    ]);
    await using opened = await openOwned(cli);
    const [server] = new RunningServers(opened.home).list();
    if (server === undefined) throw notServing();
    const change = { env: cli.env, operation: 'create_sign_in_link', input: { url: server.url } };
    const links = await audited(opened, change, () => signInLinks(new SignInCodes(opened.home), server));
    if (options.json === true) return cli.out.json(links);
    cli.out.line(links.link);
    if (links.public_link !== null) cli.out.line(links.public_link);
    cli.err.line('A one-time link, valid for ten minutes.');
    if (options.print !== true) openBrowser(links.link, cli.env);
  });
}

function notServing(): FleetError {
  return new FleetError(
    'SERVICE_UNAVAILABLE',
    'No fleet serve is running for this home. Start one: fleet serve',
    {
      reason: 'not_serving',
    },
  );
}
