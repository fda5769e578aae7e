import type { Command } from 'commander';
import { FleetError } from '../../domain/values/errors.ts';
import { openOwned } from '../../fleet/open-owned.ts';
import { audited } from '../calls/audited.ts';
import { examples, jsonOption, refuseInsideAgent } from '../calls/command.ts';
import { runOperation } from '../calls/run-operation.ts';
import type { Cli } from '../output/cli.ts';
import { printableLine } from '../output/printable.ts';
import { table, type Column } from '../output/table.ts';
import { ago } from '../output/times.ts';
import { openBrowser } from '../serving/open-browser.ts';
import { signInLinks } from '../serving/sign-in-links.ts';

interface OpenOptions {
  readonly print?: boolean;
  readonly list?: boolean;
  readonly end?: string;
  readonly json?: boolean;
}

export function openCommand(command: Command, cli: Cli): void {
  command
    .description('Open the page of the running fleet serve in a browser, by a new one-time sign-in link.')
    .option('--print', 'only print the link, for another browser or a phone')
    .option('--list', 'list the browsers that are signed in')
    .option('--end <id>', 'sign a browser out, by its id of --list');
  examples(jsonOption(command), [
    ['fleet open', 'prints the link, and opens a browser'],
    ['fleet open --print', 'a link for another browser; it works once, within ten minutes'],
    ['fleet open --list', 'the browsers that are signed in'],
    ['fleet open --end 0f3a9c1e5b7d2468', 'sign one of them out'],
  ]);
  command.action(async (options: OpenOptions) => {
    refuseInsideAgent(cli, 'fleet open');
    if (options.end !== undefined) return endSession(cli, options.end, options);
    if (options.list === true) return listSessions(cli, options);
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

async function listSessions(cli: Cli, { json }: OpenOptions): Promise<void> {
  const answer = await runOperation(cli, 'list_browser_sessions', {});
  if (json === true) return cli.out.json(answer);
  if (answer.total_count === 0) return cli.err.line('No browser is signed in.');
  const now = Date.now();
  const columns: readonly Column<(typeof answer.sessions)[number]>[] = [
    { header: 'ID', value: ({ id }) => id },
    { header: 'BROWSER', value: ({ browser }) => browser },
    { header: 'LAST SEEN', value: ({ last_seen_at }) => `${ago(last_seen_at, now)} ago` },
    { header: 'SIGNED IN', value: ({ created_at }) => `${ago(created_at, now)} ago` },
  ];
  cli.out.write(table(answer.sessions, columns, cli.out));
}

async function endSession(cli: Cli, id: string, { json }: OpenOptions): Promise<void> {
  const answer = await runOperation(cli, 'end_browser_session', { id });
  if (json === true) return cli.out.json(answer);
  cli.out.line(`The browser ${printableLine(answer.id)} is signed out.`);
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
