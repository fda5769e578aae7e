import type { Command } from 'commander';
import { FleetError, quote } from '../../domain/values/errors.ts';
import { nearest } from '../../domain/values/text.ts';
import type { TokenWish } from '../../fleet/access/token-store.ts';
import { audited } from '../calls/audited.ts';
import type { Cli } from '../output/cli.ts';
import { examples, jsonOption, refuseInsideAgent } from '../calls/command.ts';
import { openOwned } from '../../fleet/open-owned.ts';
import { runOperation } from '../calls/run-operation.ts';
import { subcommand } from '../calls/subcommand.ts';
import { table, type Column } from '../output/table.ts';
import { ago } from '../output/times.ts';
import { parseScopes } from './mcp.ts';

const SOURCES = ['human', 'ai'] as const;

interface CreateOptions {
  readonly scopes: string;
  readonly source: string;
  readonly view?: string;
  readonly json?: boolean;
}

/** Tokens beside the fleet's own: make them, list them, revoke them. */
export function tokenStoreCommands(parent: Command, cli: Cli): void {
  createCommand(subcommand(parent, 'create', 'Create a token. It is shown only once.'), cli);
  listCommand(subcommand(parent, 'list', 'List the created tokens, without their secrets.'), cli);
  revokeCommand(subcommand(parent, 'revoke', 'Revoke a token. The next request with it is refused.'), cli);
}

function createCommand(command: Command, cli: Cli): void {
  command
    .argument('<name>', 'name of the token, as the audit log shows it')
    .option('--scopes <scopes>', 'what it may do: read, operate, approve', 'read,operate')
    .option('--source <source>', 'who gives tasks with it over the HTTP API: human or ai', 'human')
    .option('--view <view>', 'valid for /mcp only, with the tools of this view of fleet.yaml');
  examples(jsonOption(command), [
    ['fleet token create dashboard --scopes read', 'can only read'],
    ['fleet token create ci --source ai', 'its tasks are recorded as given by an AI'],
    ['fleet token create docs --view docs', 'can use the tools of one view'],
  ]);
  command.action(async (name: string, options: CreateOptions) => {
    refuseInsideAgent(cli, 'fleet token');
    const wish = {
      name,
      scopes: [...parseScopes(options.scopes)],
      source: parseSource(options.source),
      ...(options.view === undefined ? {} : { view: options.view }),
    };
    if (options.view !== undefined) await requireView(cli, options.view);
    const token = await makeToken(cli, wish);
    if (options.json === true) return cli.out.json({ ...wish, token });
    cli.out.line(token);
    cli.err.line(`This is the token ${quote(name)} (${wish.scopes.join(', ')}): it is shown only now.`);
  });
}

async function makeToken(cli: Cli, wish: TokenWish): Promise<string> {
  const { TokenStore } = await import('../../fleet/access/token-store.ts');
  await using opened = await openOwned(cli);
  const change = { operation: 'create_token', input: { ...wish }, env: cli.env };
  return await audited(opened, change, () => new TokenStore(opened.home).make(wish));
}

function listCommand(command: Command, cli: Cli): void {
  examples(jsonOption(command), [['fleet token list', 'names, scopes, sources and ages']]);
  command.action(async (options: { readonly json?: boolean }) => {
    refuseInsideAgent(cli, 'fleet token');
    const answer = await runOperation(cli, 'list_tokens', {});
    if (options.json === true) return cli.out.json(answer);
    if (answer.total_count === 0) return cli.err.line("No tokens besides the fleet's own.");
    const now = Date.now();
    const columns: readonly Column<(typeof answer.tokens)[number]>[] = [
      { header: 'NAME', value: ({ name }) => name },
      { header: 'SCOPES', value: ({ scopes }) => scopes.join(',') },
      { header: 'SOURCE', value: ({ source }) => source },
      { header: 'CREATED', value: ({ created_at }) => `${ago(created_at, now)} ago` },
    ];
    cli.out.write(table(answer.tokens, columns, cli.out));
  });
}

function revokeCommand(command: Command, cli: Cli): void {
  command.argument('<name>', 'name of the token, see fleet token list');
  examples(jsonOption(command), [['fleet token revoke ci', 'also while fleet serve runs']]);
  command.action(async (name: string, options: { readonly json?: boolean }) => {
    refuseInsideAgent(cli, 'fleet token');
    const answer = await runOperation(cli, 'revoke_token', { name });
    if (options.json === true) return cli.out.json(answer);
    cli.out.line(`The token ${quote(name)} is revoked.`);
  });
}

/** A token for a view that is not there would open nothing, and all that is called so later. */
async function requireView(cli: Cli, view: string): Promise<void> {
  await using opened = await openOwned(cli);
  const { views } = (await opened.config()).current().config;
  if (Object.hasOwn(views, view)) return;
  const names = Object.keys(views);
  throw new FleetError(
    'NOT_FOUND',
    `There is no view ${quote(view)} in fleet.yaml. There are: ${names.join(', ') || 'none'}.`,
    { field: 'view', views: names },
  );
}

export function parseSource(text: string): 'human' | 'ai' {
  const source = SOURCES.find((known) => known === text);
  if (source !== undefined) return source;
  const hint = nearest(text, SOURCES);
  const meant = hint === undefined ? '' : ` Did you mean "${hint}"?`;
  throw new FleetError('INVALID_INPUT', `--source is human or ai; got ${quote(text)}.${meant}`, {
    field: 'source',
  });
}
