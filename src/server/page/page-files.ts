import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { once } from '../../platform/once.ts';
import { PACKAGE_ROOT } from '../../platform/package.ts';

/** The files of the page by their path: from the package, or built from the sources of a checkout. */
export const pageFiles = once(async (): Promise<ReadonlyMap<string, string>> => {
  const script = join(PACKAGE_ROOT, 'scripts', 'build-page.ts');
  if (!existsSync(script)) return readPage(join(PACKAGE_ROOT, 'dist', 'page'));
  const { buildPage } = (await import(pathToFileURL(script).href)) as {
    buildPage(): Promise<{ readonly files: ReadonlyMap<string, string> }>;
  };
  return (await buildPage()).files;
});

function readPage(directory: string): ReadonlyMap<string, string> {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((each) =>
    each.isFile(),
  );
  return new Map(
    files.map(({ parentPath, name }) => {
      const file = join(parentPath, name);
      return [relative(directory, file), readFileSync(file, 'utf8')];
    }),
  );
}
