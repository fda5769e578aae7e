import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { requireTrust } from '../../config/config-source.ts';
import { FleetError, quote } from '../../domain/values/errors.ts';
import { nearest } from '../../domain/values/text.ts';
import type { Cli } from '../output/cli.ts';
import { clientEntry } from '../clients/client-entry.ts';
import { putEntry, type ClientFile } from '../clients/client-file.ts';
import { examples, jsonOption, refuseInsideAgent } from '../calls/command.ts';
import { jsonText } from '../output/printable.ts';
import { openOwned } from '../../fleet/open-owned.ts';

interface InstallOptions {
  readonly client: string;
  readonly file?: string;
  readonly name: string;
  readonly print?: boolean;
  readonly json?: boolean;
}

interface Client {
  readonly name: string;
  readonly file: string;
  readonly key: string;
  /** What its entries have beside the command. */
  readonly more: object;
}

const CLIENTS: Readonly<Record<string, Client>> = {
  claude: { name: 'Claude Code', file: '.mcp.json', key: 'mcpServers', more: {} },
  cursor: { name: 'Cursor', file: join('.cursor', 'mcp.json'), key: 'mcpServers', more: {} },
  vscode: { name: 'VS Code', file: join('.vscode', 'mcp.json'), key: 'servers', more: { type: 'stdio' } },
};

export function mcpInstallCommand(command: Command, cli: Cli): void {
  command
    .option('--client <client>', `the MCP client: ${Object.keys(CLIENTS).join(', ')}`, 'claude')
    .option('--file <path>', "the file (default: the client's own for the project in this directory)")
    .option('--name <name>', 'name of the entry', 'fleet')
    .option('--print', 'print the entry and write nothing');
  examples(jsonOption(command), [
    ['fleet mcp install', 'into ./.mcp.json, for Claude Code'],
    ['fleet mcp install --client vscode', 'into ./.vscode/mcp.json'],
    ['fleet mcp install --file ~/.cursor/mcp.json --client cursor', 'for all projects'],
  ]);
  command.action(async (options: InstallOptions) => {
    refuseInsideAgent(cli, 'fleet mcp install');
    const client = clientOf(options.client);
    const name = checkName(options.name);
    const entry = { ...client.more, ...(await entryOf(cli)) };
    if (options.print === true)
      return cli.out.line(jsonText({ [client.key]: { [name]: entry } }, cli.json ? 0 : 2));
    const file: ClientFile = { path: resolve(cli.cwd, options.file ?? client.file), key: client.key };
    const outcome = putEntry(file, name, entry);
    if (options.json === true) return cli.out.json({ file: file.path, name, outcome, entry });
    tell(cli, { outcome, entry: name, file: file.path, client: client.name });
  });
}

/** Naming a configuration to others is trusting it, so that one that merely lies here must be trusted first. */
async function entryOf(cli: Cli): Promise<ReturnType<typeof clientEntry>> {
  await using opened = await openOwned(cli);
  const loaded = (await opened.config()).current();
  requireTrust(loaded);
  if (loaded.path === null)
    cli.err.line('fleet: no project is configured yet: run fleet init in a git repository, then this again.');
  return clientEntry(opened.home, loaded.path ?? undefined);
}

function tell(
  cli: Cli,
  told: {
    readonly outcome: ReturnType<typeof putEntry>;
    readonly entry: string;
    readonly file: string;
    readonly client: string;
  },
): void {
  const { outcome, file, client } = told;
  const entry = quote(told.entry);
  switch (outcome) {
    case 'unchanged':
      return cli.out.line(`${file} has the entry ${entry} already: nothing was changed.`);
    case 'added':
      cli.out.line(`Added the entry ${entry} to ${file}.`);
      break;
    case 'replaced':
      cli.out.line(`Replaced the entry ${entry} in ${file}.`);
      break;
  }
  cli.out.line(`${client} starts this fleet from there when it is started again.`);
}

function clientOf(wanted: string): Client {
  const client = Object.hasOwn(CLIENTS, wanted) ? CLIENTS[wanted] : undefined;
  if (client !== undefined) return client;
  const hint = nearest(wanted, Object.keys(CLIENTS));
  const meant = hint === undefined ? '' : ` Did you mean "${hint}"?`;
  throw new FleetError(
    'INVALID_INPUT',
    `${quote(wanted)} is not a known client. Use ${Object.keys(CLIENTS).join(', ')}.${meant} For any other client use --print.`,
    { field: 'client' },
  );
}

/** Clients make the names of tools from it. */
function checkName(name: string): string {
  if (/^[A-Za-z0-9_-]{1,64}$/.test(name)) return name;
  throw new FleetError(
    'INVALID_INPUT',
    `--name is 1 to 64 letters, digits, "_" and "-"; got ${quote(name)}.`,
    {
      field: 'name',
    },
  );
}
