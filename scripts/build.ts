import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { writePage } from './build-page.ts';

// Builds dist/: a few files instead of some hundred, because opening files is most of what a cold start costs, and a
// runner that is one file cannot be broken by an upgrade under it.
const ROOT = join(import.meta.dirname, '..');
const out = process.argv[2] ?? join(ROOT, 'dist');

rmSync(out, { recursive: true, force: true });
const modules = [
  // These share most of their code.
  await build({
    main: 'src/cli/main.ts',
    'team-main': 'src/server/stdio/team-main.ts',
    'tools-host-main': 'src/orchestrator/host/tools-host-main.ts',
    'merge-main': 'src/backends/local/merge-main.ts',
  }),
  // One file: a runner loads all its code at once, and shares none of it with the command.
  await build({ 'runner-main': 'src/backends/local/runner/runner-main.ts' }),
  await build({ 'coder-runner-main': 'src/backends/coder/runner/coder-runner-main.ts' }),
  await build({ 'bridge-main': 'src/runner/bridge-main.ts' }),
  await build({ 'self-mcp-main': 'src/runner/self-mcp-main.ts' }),
  await build({ 'read-taskfile-main': 'src/runner/metadata/read-taskfile-main.ts' }),
  await build({ 'demo-agent': 'src/demo/demo-agent.ts' }),
  await writePage(join(out, 'page')),
].flat();
writeFileSync(join(out, 'THIRD-PARTY-LICENSES.txt'), licencesOf(modules));

/** Builds programs that share files; returns the files that they were made from. */
async function build(programs: Readonly<Record<string, string>>): Promise<string[]> {
  const bundle = await rolldown({ cwd: ROOT, platform: 'node', input: programs });
  const { output } = await bundle.write({
    dir: out,
    format: 'esm',
    // Comments and spaces are a quarter of the package. Names stay: they are in the traces of defects.
    minify: { mangle: false, compress: false, codegen: { removeWhitespace: true } },
    entryFileNames: '[name].js',
    chunkFileNames: `${Object.keys(programs)[0]}-[name]-[hash].js`,
  });
  await bundle.close();
  return output.flatMap((each) => (each.type === 'chunk' ? each.moduleIds : []));
}

/** The licences of the libraries that are part of what was built. */
function licencesOf(modules: readonly string[]): string {
  const names = new Set(modules.flatMap((id) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(id)?.[1] ?? []));
  return [...names].toSorted().map(licenceOf).join('\n');
}

function licenceOf(name: string): string {
  const directory = join(ROOT, 'node_modules', name);
  const { version, license } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as {
    version: string;
    license: string;
  };
  const file = readdirSync(directory).find((each) => /^licen[cs]e/i.test(each));
  const text = file === undefined ? '' : readFileSync(join(directory, file), 'utf8');
  return `${name} ${version} (${license})\n\n${text}`;
}
