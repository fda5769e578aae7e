import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');
const directory = mkdtempSync(join(tmpdir(), 'fleet-layers-'));
copyFileSync(join(ROOT, '.oxlintrc.json'), join(directory, '.oxlintrc.json'));

afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** From the ground up. */
const LAYERS = [
  'domain',
  'platform',
  'store',
  'runner',
  'agents',
  'forge',
  'backends',
  'fleet',
  'operations',
  'orchestrator',
  'server',
  'cli',
];

describe('dependencies', () => {
  it.each(upwardImports())('from %s up to %s are an error', (from, to) => {
    expect(lint(from, `import { thing } from '../${to}/thing.ts';\nexport const other = thing;\n`)).toContain(
      'no-restricted-imports',
    );
  });

  it('downwards are allowed', () => {
    expect(
      lint('cli', `import { thing } from '../domain/thing.ts';\nexport const other = thing;\n`),
    ).not.toContain('no-restricted');
  });

  it('are checked in every folder of src', () => {
    const folders = readdirSync(join(ROOT, 'src'), { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    );
    const known = new Set([...LAYERS, 'config', 'demo']);
    expect(folders.map(({ name }) => name).filter((name) => !known.has(name))).toEqual([]);
  });
});

function upwardImports(): [string, string][] {
  return LAYERS.flatMap((from, index) => LAYERS.slice(index + 1).map((to): [string, string] => [from, to]));
}

function lint(layer: string, content: string): string {
  const folder = join(directory, 'src', layer);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'probe.ts'), content);
  const { stdout } = spawnSync(
    join(ROOT, 'node_modules', '.bin', 'oxlint'),
    ['-c', '.oxlintrc.json', `src/${layer}/probe.ts`],
    {
      cwd: directory,
      encoding: 'utf8',
    },
  );
  rmSync(folder, { recursive: true, force: true });
  return stdout;
}
