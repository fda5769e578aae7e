// Writes the reference pages from the program itself; with --check it writes nothing and fails when one is out of date.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cliReference } from './reference/cli-reference.ts';
import { operationsReference } from './reference/operations-reference.ts';

const DOCS = join(import.meta.dirname, '..', 'docs');
const pages: Readonly<Record<string, string>> = {
  'operations.md': operationsReference(),
  'cli.md': await cliReference(),
};

const stale = Object.entries(pages).filter(([name, text]) => contentOf(join(DOCS, name)) !== text);
if (process.argv.includes('--check')) {
  for (const [name] of stale) console.error(`docs/${name} is out of date: npm run reference writes it anew`);
  process.exitCode = stale.length === 0 ? 0 : 1;
} else {
  for (const [name, text] of stale) writeFileSync(join(DOCS, name), text);
}

function contentOf(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}
