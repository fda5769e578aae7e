import { existsSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import { findRepository } from '../../upkeep/local/find-repository.ts';
import { configAbove } from '../../config/find-config.ts';
import { FleetError, quote } from '../../domain/values/errors.ts';
import { ensureHome, resolveHome } from '../../platform/home.ts';
import { writeFileAtomic } from '../../platform/write-file.ts';
import type { Cli } from '../output/cli.ts';
import { examples, jsonOption, refuseInsideAgent } from '../calls/command.ts';
import { firstConfig, projectNameFor } from '../clients/first-config.ts';
import { printableLine } from '../output/printable.ts';
import { trustConfig } from '../clients/trust-config.ts';

interface InitOptions {
  readonly yes?: boolean;
  readonly force?: boolean;
  readonly json?: boolean;
}

export function initCommand(command: Command, cli: Cli): void {
  command
    .description(
      'Write a fleet.yaml for the current git repository, with a role that needs no model, and trust it.',
    )
    .option('-y, --yes', 'do not ask')
    .option('--force', 'replace an existing fleet.yaml of this directory');
  examples(jsonOption(command), [['cd my-repository && fleet init', 'then create the first agent']]);
  command.action(async (options: InitOptions) => {
    refuseInsideAgent(cli, 'fleet init');
    const path = join(cli.cwd, 'fleet.yaml');
    const used = configAbove(cli.cwd);
    if (used !== undefined && used !== path) throw usedFromAbove(used);
    if (options.force !== true && existsSync(path)) throw alreadyThere(path);
    const top = await repositoryOf(cli.cwd);
    const project = projectNameFor(basename(cli.cwd));
    ensureHome(resolveHome(cli.env));
    if (options.yes !== true && !(await agreed(cli, `Write ${path} for the project ${quote(project)}?`))) {
      cli.exitCode = 1;
      return cli.err.line('Nothing was written.');
    }
    const text = firstConfig({ project, repository: relative(cli.cwd, top) || '.' });
    write(path, text, options.force === true);
    trustConfig(cli, path);
    if (options.json === true) return cli.out.json({ path, project });
    cli.out.write(nextSteps(path, project));
  });
}

/** The top of the work tree that a directory is in; agents branch off its commits, so that it needs one. */
async function repositoryOf(directory: string): Promise<string> {
  const { top, problem } = await findRepository(directory);
  if (top !== undefined) return top;
  throw new FleetError(
    'INVALID_INPUT',
    `The directory ${quote(directory)} ${problem}. Agents work on branches of a git repository: run fleet init in one.`,
    { reason: 'bad_repository' },
  );
}

async function agreed(cli: Cli, question: string): Promise<boolean> {
  if (!cli.stdin.isTTY || !cli.out.isTerminal) return true;
  const lines = createInterface({ input: cli.stdin, output: process.stdout });
  try {
    const answer = await lines.question(`${printableLine(question)} [Y/n] `);
    return /^\s*(?:y|yes)?\s*$/i.test(answer);
  } finally {
    lines.close();
  }
}

function write(path: string, text: string, replace: boolean): void {
  try {
    if (replace) writeFileAtomic(path, text, 0o644);
    else writeFileSync(path, text, { flag: 'wx' });
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'EEXIST') throw alreadyThere(path);
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new FleetError('SERVICE_UNAVAILABLE', `${quote(path)} cannot be written: ${why}.`, {}, cause);
  }
}

/** A second one below would hide the projects of the first. */
function usedFromAbove(path: string): FleetError {
  return new FleetError(
    'CONFLICT',
    `The configuration ${quote(path)} already applies to this directory. Nothing was written: edit that file, or delete it first.`,
    { reason: 'config_exists', file: path },
  );
}

function alreadyThere(path: string): FleetError {
  return new FleetError('CONFLICT', `${quote(path)} already exists. fleet init --force replaces it.`, {
    reason: 'config_exists',
  });
}

function nextSteps(path: string, project: string): string {
  const name = /^[\w-]+$/.test(project) ? project : `'${project.replaceAll("'", `'\\''`)}'`;
  return [
    `Wrote ${path} and trusted it.`,
    '',
    'A first agent, which needs no model:',
    `  fleet create ${name} --role shell --name first 'echo hello from $FLEET_AGENT'`,
    '  fleet log first',
    '',
    'Then: fleet list, fleet serve (a page and MCP), fleet doctor.',
    '',
  ].join('\n');
}
