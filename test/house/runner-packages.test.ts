import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');
/** Static and dynamic imports of values; `import type` loads nothing. */
const IMPORT = /(?:^(?:import|export)\s(?!type\b)(?:[^;'"]*?\sfrom\s)?|\bimport\()\s*['"]([^'"]+)['"]/gm;

it('what runner and store load imports no package but the YAML parser, which runs in a process of its own', () => {
  expect(packagesOf(['runner', 'store'])).toEqual(['src/runner/metadata/read-taskfile.ts: yaml']);
});

/** Every import of a package that the sources of these folders reach, as `file: package`. */
function packagesOf(folders: readonly string[]): string[] {
  const seen = new Set(folders.flatMap((folder) => sourcesIn(join(ROOT, 'src', folder))));
  const packages: string[] = [];
  for (const file of seen) {
    for (const [, imported = ''] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
      if (imported.startsWith('.')) seen.add(resolve(dirname(file), imported));
      else if (!imported.startsWith('node:')) packages.push(`${relative(ROOT, file)}: ${imported}`);
    }
  }
  return packages;
}

function sourcesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter(({ name }) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map(({ parentPath, name }) => join(parentPath, name));
}
