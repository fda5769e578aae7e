import { Command } from 'commander';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { Cli } from '../../src/cli/output/cli.ts';
import { COMMANDS } from '../../src/cli/commands/all-commands.ts';
import { blocksOf, inlineCodeOf, pages, ROOT, type Page } from './pages.ts';

const PAGES = pages();
const known = new Map<string, Command>();

beforeAll(async () => {
  const cli = new Cli({ env: {} });
  for (const { name, load } of COMMANDS) {
    const command = new Command(name).option('--config <file>', 'as every command has it');
    (await load())(command, cli);
    known.set(name, command);
  }
});

describe('commands of fleet', () => {
  it.each(withCommands())('in %s exist, with those options', (_, lines) => {
    expect(lines.flatMap(problemsWith)).toEqual([]);
  });

  it('that do not exist would be found', () => {
    expect(problemsWith('fleet lits --json')).toEqual(['fleet lits --json: no command lits']);
    expect(problemsWith('fleet list --jsno')).toEqual(['fleet list --jsno: fleet list has no --jsno']);
    expect(problemsWith('fleet mcp install --clinet x')).toHaveLength(1);
  });
});

describe('npm scripts', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object };

  it.each([
    ...new Set(PAGES.flatMap(({ text }) => [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, name]) => name))),
  ])('%s is one', (name) => {
    expect(Object.keys(scripts)).toContain(name);
  });
});

function withCommands(): (readonly [string, readonly string[]])[] {
  return PAGES.map((page) => [page.path, commandLines(page)] as const).filter(
    ([, lines]) => lines.length > 0,
  );
}

/** Lines of shell blocks and inline code, and the examples of help texts. */
function commandLines(page: Page): string[] {
  const shell = blocksOf(page, 'sh').flatMap(({ content }) => content.split('\n'));
  const examples = blocksOf(page, 'text').flatMap(
    ({ content }) => content.split('\nExamples:\n')[1]?.split('\n') ?? [],
  );
  const inline = inlineCodeOf(page).filter((code) => code.startsWith('fleet '));
  return [...shell, ...examples, ...inline].flatMap(callsIn);
}

/** What a line calls of fleet, without quoted texts and comments. */
function callsIn(line: string): string[] {
  const plain = line.replaceAll(/'[^']*'|"[^"$]*"/g, 'text').replace(/\s#.*$/, '');
  return [...plain.matchAll(/(?:^|[;&|(]|-- )\s*(fleet [^;&|)]+)/g)].map(([, call = '']) => call.trim());
}

function problemsWith(line: string): string[] {
  const [, first = '', ...rest] = line.split(/\s+/);
  // A word in capitals stands for any command; a help text shows an option before the command.
  if (/^[A-Z]/.test(first) || first.startsWith('-')) return [];
  const command = known.get(first);
  if (command === undefined) return [`${line}: no command ${first}`];
  const below = command.commands.find((each) => each.name() === rest[0]);
  const target = below ?? command;
  const options = new Set(target.options.flatMap(({ long, short }) => [long, short]).concat('--help', '-h'));
  const path = below === undefined ? first : `${first} ${below.name()}`;
  return rest
    .filter((word) => /^--?[a-z]/i.test(word) && !options.has(word))
    .map((word) => `${line}: fleet ${path} has no ${word}`);
}
