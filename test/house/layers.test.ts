import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');
const LAYERS = readdirSync(join(ROOT, 'src'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

const BELOW_BACKENDS = ['domain', 'platform', 'wire', 'config', 'store', 'runner', 'agents', 'forge'];
const BELOW_UPKEEP = ['fleet', 'operations', 'orchestrator'];

/** The other folders of src that each one may import. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  platform: ['domain'],
  wire: ['domain', 'platform'],
  config: ['domain', 'platform'],
  store: ['domain', 'platform'],
  runner: ['domain', 'platform', 'wire'],
  agents: ['domain', 'platform'],
  forge: ['domain', 'platform'],
  backends: BELOW_BACKENDS,
  fleet: [...BELOW_BACKENDS, 'backends'],
  operations: ['domain', 'platform', 'fleet'],
  orchestrator: ['domain', 'platform', 'wire', 'config', 'fleet', 'operations'],
  upkeep: [...BELOW_BACKENDS, 'backends', ...BELOW_UPKEEP],
  session: ['domain', 'platform', 'wire', 'config', ...BELOW_UPKEEP],
  server: ['domain', 'platform', 'wire', 'config', ...BELOW_UPKEEP, 'upkeep', 'session'],
  demo: ['domain', 'platform', 'config', 'fleet', 'operations'],
  cli: [
    'domain',
    'platform',
    'wire',
    'config',
    'agents',
    ...BELOW_UPKEEP,
    'upkeep',
    'session',
    'server',
    'demo',
  ],
};

const MAY_IMPORT_ZOD = LAYERS.filter((layer) => !['runner', 'store', 'wire'].includes(layer));

const refused = refusedImports();

describe('imports', () => {
  it.each(LAYERS)('of %s are refused by lint unless they point downwards', (layer) => {
    const others = LAYERS.filter((other) => other !== layer);
    const expected = others.filter((other) => MAY_IMPORT[layer]?.includes(other) !== true);
    expect(others.filter((other) => refused.get(layer)?.has(other))).toEqual(expected);
  });

  it('of zod are refused by lint in runner, store and wire only', () => {
    expect(LAYERS.filter((layer) => !refused.get(layer)?.has('zod'))).toEqual(MAY_IMPORT_ZOD);
  });

  it('are listed in ARCHITECTURE.md for every folder of src', () => {
    expect(documentedImports()).toEqual(MAY_IMPORT);
  });
});

/** Lints one file for each import in one run, and gives the refused imports of each layer. */
function refusedImports(): ReadonlyMap<string, ReadonlySet<string>> {
  const directory = mkdtempSync(join(tmpdir(), 'fleet-layers-'));
  try {
    copyFileSync(join(ROOT, '.oxlintrc.json'), join(directory, '.oxlintrc.json'));
    for (const layer of LAYERS) {
      const folder = join(directory, 'src', layer);
      mkdirSync(folder, { recursive: true });
      for (const other of LAYERS) writeProbe(folder, other, `../${other}/thing.ts`);
      writeProbe(folder, 'zod', 'zod');
    }
    const { stdout } = spawnSync(
      join(ROOT, 'node_modules', '.bin', 'oxlint'),
      ['-c', '.oxlintrc.json', '--format', 'json', 'src'],
      { cwd: directory, encoding: 'utf8' },
    );
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: { code: string; filename: string }[] };
    const found = diagnostics.filter(({ code }) => code.includes('no-restricted-imports'));
    return new Map(
      [...Map.groupBy(found, ({ filename }) => basename(dirname(filename)))].map(([layer, all]) => [
        layer,
        new Set(all.map(({ filename }) => basename(filename, '.ts'))),
      ]),
    );
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function writeProbe(folder: string, name: string, from: string): void {
  writeFileSync(
    join(folder, `${name}.ts`),
    `import { thing } from '${from}';\nexport const other = thing;\n`,
  );
}

/** The table of folders: `| \`name\` | content | \`import\`, … |`. */
function documentedImports(): Record<string, string[]> {
  const text = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8');
  const rows = text.matchAll(/^\| `([a-z]+)` \|[^|]+\| ([^|]+) \|$/gm);
  return Object.fromEntries(
    [...rows].map(([, layer = '', imports = '']) => [
      layer,
      imports === 'nothing of ours' ? [] : imports.split(', '),
    ]),
  );
}
