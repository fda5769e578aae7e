import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Break } from './break.ts';
import { breaks } from './breaks.ts';
import { findCitations } from './citations.ts';
import { requirements } from './rows.ts';

// Shows that tests can fail: breaks the behaviour of some rows, one at a time in a copy of the tree, and runs the tests
// that cite the row. `--seed N` chooses ten rows, `--count N` another number, `--rows A,B` those, `--all` every one.
const ROOT = join(import.meta.dirname, '..', '..');
const RUN_LIMIT_MS = 300_000;
const citations = findCitations();
const chosen = choose();
const directory = copyTree();
let survivors = 0;
try {
  for (const change of chosen) {
    const { isRed, output } = tryBreak(change);
    console.log(`${isRed ? 'red  ' : 'GREEN'}  ${change.id.padEnd(36)} ${change.file}`);
    if (isRed) continue;
    survivors++;
    console.log(output);
  }
} finally {
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
}
console.log(`\n${survivors} of ${chosen.length} breaks left their tests green`);
process.exitCode = survivors === 0 && chosen.length > 0 ? 0 : 1;

function choose(): readonly Break[] {
  const option = (name: string): string | undefined => {
    const at = process.argv.indexOf(name);
    return at === -1 ? undefined : process.argv[at + 1];
  };
  const rows = option('--rows')?.split(',');
  if (rows !== undefined) return breaks.filter(({ id }) => rows.includes(id));
  if (process.argv.includes('--all')) return breaks;
  const seed = Number(option('--seed') ?? Math.floor(Date.now() / 86_400_000));
  console.log(`seed ${seed}`);
  const known = new Set(requirements.map(({ id }) => id));
  return shuffled(
    breaks.filter(({ id }) => known.has(id)),
    seed,
  ).slice(0, Number(option('--count') ?? 10));
}

function shuffled(list: readonly Break[], seed: number): Break[] {
  let state = seed >>> 0;
  const random = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return list
    .map((each) => ({ each, key: random() }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ each }) => each);
}

function copyTree(): string {
  const copy = mkdtempSync(join(tmpdir(), 'fleet-breaks-'));
  const files = execFileSync(
    'git',
    ['-C', ROOT, 'ls-files', '-z', '--cached', '--others', '--exclude-standard'],
    { encoding: 'utf8' },
  );
  for (const file of files.split('\0').filter((name) => name !== '' && existsSync(join(ROOT, name)))) {
    mkdirSync(join(copy, dirname(file)), { recursive: true });
    cpSync(join(ROOT, file), join(copy, file));
  }
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

function tryBreak({ id, file, find, replace }: Break): { readonly isRed: boolean; readonly output: string } {
  const path = join(directory, file);
  const original = readFileSync(path, 'utf8');
  if (original.split(find).length !== 2) throw new Error(`${id}: ${file} does not have this once: ${find}`);
  const cites = citations.filter(({ ids }) => ids.includes(id));
  const files = [...new Set(cites.flatMap((cite) => runnersOf(cite.file)))];
  if (files.length === 0) throw new Error(`${id}: no test cites it`);
  writeFileSync(
    path,
    original.replace(find, () => replace),
  );
  try {
    const report = join(directory, 'report.json');
    rmSync(report, { force: true });
    const pattern = `\\[([A-Za-z0-9_-]+, )*${id}(, [A-Za-z0-9_-]+)*\\]`;
    const { stdout, stderr, error } = spawnSync(
      join('node_modules', '.bin', 'vitest'),
      ['run', ...files, '-t', pattern, '--bail', '1', '--reporter', 'json', '--outputFile', report],
      {
        cwd: directory,
        timeout: RUN_LIMIT_MS,
        encoding: 'utf8',
        env: { ...process.env, PATH: `${join(ROOT, 'node_modules', '.bin')}:${process.env['PATH']}` },
      },
    );
    // Tests that do not end are not green either.
    const isLate = error !== undefined && 'code' in error && error.code === 'ETIMEDOUT';
    const isRed = isLate || (existsSync(report) && hasFailed(readFileSync(report, 'utf8')));
    return { isRed, output: `${stdout}${stderr}` };
  } finally {
    writeFileSync(path, original);
  }
}

/** A file whose hooks fail is red without a test of its own. */
function hasFailed(report: string): boolean {
  const { testResults } = JSON.parse(report) as { testResults: { status: string }[] };
  return testResults.some(({ status }) => status === 'failed');
}

/** A contract area runs in the suite of the backends. */
function runnersOf(file: string): string[] {
  return file.endsWith('.contract.ts') ? ['test/contract/backends.test.ts'] : [file];
}
