import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

export interface Citation {
  readonly file: string;
  readonly title: string;
  readonly ids: readonly string[];
}

const ROOT = join(import.meta.dirname, '..', '..');

/** Every title of a test or describe that ends with requirement ids in brackets. */
export function findCitations(): readonly Citation[] {
  return [join(ROOT, 'src'), join(ROOT, 'test')].flatMap(testFiles).flatMap((file) => {
    const text = readFileSync(file, 'utf8');
    return [
      ...text.matchAll(
        /\b(?:it|test)(?:\.skipIf\([^\n]*?\)|\.(?:each|for)\([\s\S]*?\))?\(\s*(['"`])((?:(?!\1)[\s\S])*?) \[([A-Za-z0-9_, -]+)\]\1/g,
      ),
    ].map(([, , title, ids]) => ({
      file: relative(ROOT, file),
      title: title ?? '',
      ids: (ids ?? '').split(',').map((id) => id.trim()),
    }));
  });
}

function testFiles(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.(test|contract)\.ts$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}
