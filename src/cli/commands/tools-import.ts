import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { parseDocument, type Document } from 'yaml';
import { findConfig } from '../../config/find-config.ts';
import { FleetError, quote } from '../../domain/values/errors.ts';
import { writeFileAtomic } from '../../platform/write-file.ts';
import type { Cli } from '../output/cli.ts';
import { examples, jsonOption, refuseInsideAgent } from '../calls/command.ts';
import { addServers, type AddedServers, type LeftOut } from '../clients/add-servers.ts';
import { serversOfClients, type FoundServer } from '../clients/servers-of-clients.ts';
import { configAt, trustConfig } from '../clients/trust-config.ts';

export function toolsImportCommand(command: Command, cli: Cli): void {
  command.argument(
    '[file]',
    'a file with mcpServers or servers; default: those of Claude Code, Cursor and VS Code',
  );
  examples(jsonOption(command), [
    ['fleet tools import', 'from ./.mcp.json, ./.cursor/mcp.json, ./.vscode/mcp.json and those of your home'],
    ['fleet tools import other.json', 'from one file'],
  ]);
  command.action((file: string | undefined, options: { readonly json?: boolean }) => {
    refuseInsideAgent(cli, 'fleet tools import');
    const found = serversOfClients(cli, file);
    const location = findConfig({ flag: cli.config, env: cli.env, cwd: cli.cwd });
    if (location === undefined) {
      throw new FleetError(
        'INVALID_INPUT',
        'There is no fleet.yaml to write them to. Create one with fleet init.',
        {
          reason: 'no_configuration',
        },
      );
    }
    const { path } = location;
    const { added, leftOut } = write(cli, path, found);
    if (added.length === 0 && leftOut.length > 0) throw noneOf(leftOut);
    if (options.json === true)
      return cli.out.json({
        path,
        added: added.map(({ name, from }) => ({ name, from })),
        left_out: leftOut,
      });
    for (const { name, from } of added) cli.out.line(`${name}, from ${from}`);
    for (const { name, from, reason } of leftOut)
      cli.err.line(`fleet: warning: ${name}, from ${from}, is left out: ${reason}`);
    cli.out.line(
      added.length === 0 ? 'Nothing new was found.' : `Written to ${path}. fleet tools shows how they are.`,
    );
  });
}

/** Servers that are there under the same name stay as they are. */
function write(cli: Cli, path: string, found: readonly FoundServer[]): AddedServers {
  const before = readFileSync(path, 'utf8');
  const wasTrusted = isTrusted(cli, path);
  const document: Document = parseDocument(before);
  if (document.errors.length > 0) {
    throw new FleetError(
      'INVALID_INPUT',
      `${quote(path)} is not YAML that Fleet can read. Correct it first; fleet doctor shows the problem.`,
      {
        file: path,
      },
    );
  }
  const fresh = found.filter(({ name }) => !document.hasIn(['mcpServers', name]));
  if (fresh.length === 0) return { added: [], leftOut: [] };
  const outcome = addServers(document, fresh, { path, env: cli.env });
  if (outcome.added.length === 0) return outcome;
  const after = document.toString();
  writeFileAtomic(path, after, 0o644);
  if (wasTrusted) trustConfig(cli, path);
  return outcome;
}

/** A file that cannot be used is trusted by nobody. */
function isTrusted(cli: Cli, path: string): boolean {
  try {
    return configAt(cli, path).trusted;
  } catch {
    return false;
  }
}

function noneOf(leftOut: readonly LeftOut[]): FleetError {
  const told = leftOut.map(({ name, from, reason }) => `${quote(name)} of ${quote(from)}: ${reason}`);
  return new FleetError(
    'INVALID_INPUT',
    `None of the servers can be imported, and nothing was written. ${told.join(' ')}`,
    { left_out: leftOut },
  );
}
