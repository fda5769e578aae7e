import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';

const SRC = join(import.meta.dirname, '..', '..', 'src');

/** More than this, and a newcomer does not find a file. */
const MOST_FILES = 22;
/** Lists: one file for each thing. */
const LISTS = ['operations', 'cli/commands'];

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && file !== 'cli/test-cli.ts',
);

describe('folders of src', () => {
  it(`have at most ${MOST_FILES} files`, () => {
    const sizes = Map.groupBy(files, (file) => dirname(file));
    const large = [...sizes].filter(([folder, all]) => all.length > MOST_FILES && !LISTS.includes(folder));
    expect(large.map(([folder, all]) => `${folder}: ${all.length}`)).toEqual([]);
  });

  it('never import each other', () => {
    const imports = new Set(files.flatMap(importedFolders));
    const both = [...imports].filter((pair) => imports.has(pair.split(' ').toReversed().join(' ')));
    expect(both).toEqual([]);
  });
});

/** `folder other` for each import of another folder. */
function importedFolders(file: string): readonly string[] {
  const text = readFileSync(join(SRC, file), 'utf8');
  const own = dirname(file);
  return [...text.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)]
    .map(([, path = '']) => dirname(normalize(join(own, path))))
    .filter((other) => other !== own)
    .map((other) => `${own} ${other}`);
}
