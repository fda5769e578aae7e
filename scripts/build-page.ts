import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { rolldown } from 'rolldown';
import { OPERATIONS } from '../src/operations/table.ts';

const WEB = join(import.meta.dirname, '..', 'web');

/** The files of the page by their path, and the modules that they were made from. */
export interface BuiltPage {
  readonly files: ReadonlyMap<string, string>;
  readonly modules: readonly string[];
}

/** Builds the page in memory: in a checkout `fleet serve` does so when the page is first asked for. */
export async function buildPage(): Promise<BuiltPage> {
  const bundle = await rolldown({
    cwd: WEB,
    platform: 'browser',
    // The renderer of Markdown runs in a worker, which has no document.
    resolve: { conditionNames: ['worker', 'browser'] },
    input: { main: 'src/main.tsx' },
    transform: { target: 'es2022', define: { FLEET_ROUTES: JSON.stringify(routes()) } },
  });
  const { output } = await bundle.generate({
    format: 'esm',
    minify: true,
    entryFileNames: '[name]-[hash].js',
    chunkFileNames: '[name]-[hash].js',
  });
  await bundle.close();
  const chunks = output.filter((each) => each.type === 'chunk');
  const entry = chunks.find(({ isEntry }) => isEntry)?.fileName ?? '';
  const style = styles();
  const styleName = `style-${createHash('sha256').update(style).digest('base64url').slice(0, 8)}.css`;
  const index = readFileSync(join(WEB, 'index.html'), 'utf8')
    .replace('/style.css', `/assets/${styleName}`)
    .replace('/main.js', `/assets/${entry}`);
  return {
    files: new Map([
      ['index.html', index],
      [`assets/${styleName}`, style],
      ...chunks.map(({ fileName, code }) => [`assets/${fileName}`, code] as const),
    ]),
    modules: chunks.flatMap(({ moduleIds }) => moduleIds),
  };
}

export async function writePage(directory: string): Promise<readonly string[]> {
  const { files, modules } = await buildPage();
  for (const [path, text] of files) {
    const file = join(directory, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return modules;
}

/** Where each operation is, and who may call it: the page writes no route again. */
function routes(): object {
  return Object.fromEntries(
    OPERATIONS.map(({ name, route, scopes }) => [name, { method: route.method, path: route.path, scopes }]),
  );
}

function styles(): string {
  const directory = join(WEB, 'src', 'style');
  return readdirSync(directory)
    .filter((name) => name.endsWith('.css'))
    .toSorted()
    .map((name) => readFileSync(join(directory, name), 'utf8'))
    .join('\n');
}
