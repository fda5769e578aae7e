import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Launch } from '../../domain/launch.ts';
import type { MetadataFields } from '../../domain/metadata/taskfile-metadata.ts';
import { systemClock } from '../../platform/clock.ts';
import { Journal } from '../journal/journal.ts';
import { LAUNCH } from '../../../test/support/fleets/launch.ts';
import { MetadataKeeper } from './metadata-keeper.ts';

/** Its id marks its processes, which no other test may end. */
const COMMANDS = { ...LAUNCH, agent: 'command', workspace_id: '00000000-0000-4000-8000-00000000feed' };

let directory: string;
let journal: Journal;
/** What was kept, each time. */
let kept: MetadataFields[];
let changes: (readonly string[])[];
let complaints: string[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'fleet-keeper-'));
  journal = new Journal(join(directory, 'journal.db'), systemClock);
  kept = [];
  changes = [];
  complaints = [];
  mkdirSync(join(directory, 'bin'));
  mkdirSync(join(directory, 'work'));
  // What it prints is what the task is called; "slow" does not end by itself.
  writeFileSync(
    join(directory, 'bin', 'task'),
    `#!/bin/sh\nfor name; do :; done\ntouch "${directory}/ran"\n[ "$name" = slow ] && exec sleep 3600\necho "$name"\n`,
    { mode: 0o755 },
  );
  taskfile({ quick: true });
});
afterEach(() => {
  journal[Symbol.dispose]();
  rmSync(directory, { recursive: true });
});

it('says of a field that was never collected that it was not collected yet [MD-not-collected]', async () => {
  await using keeper = open();
  await keeper.collect();
  expect(kept[0]).toEqual({
    quick: {
      value: null,
      error: 'not collected yet',
      schema: { description: '', include_in_list: true },
    },
  });
  expect(kept.at(-1)?.['quick']).toMatchObject({ value: 'quick', error: null });
  expect(journal.listed()).toMatchObject({ count: 1, values: { quick: 'quick' } });
});

it('answers a look with what there is when time is up, and keeps the value from before', async () => {
  await using keeper = open();
  await keeper.collect();
  taskfile({ quick: true, slow: false });
  const collecting = keeper.collect();
  await keeper.refresh({ older_than_ms: 0, within_ms: 50 });
  expect(journal.fields()['quick']?.value).toBe('quick');
  while (journal.fields()['slow'] === undefined) await keeper.refresh({ older_than_ms: 0, within_ms: 50 });
  expect(journal.fields()['slow']).toMatchObject({ value: null, error: 'not collected yet' });
  await collecting;
  expect(journal.fields()['slow']?.error).toContain('5 s');
});

it('tells which fields changed, and of nothing when none did', async () => {
  await using keeper = open();
  await keeper.collect();
  const before = journal.listed();
  changes = [];
  await keeper.collect();
  expect(changes.flat()).toEqual([]);
  expect(journal.listed().changed_at).toBe(before.changed_at);
  expect(journal.listed().collected_at).not.toBe(before.collected_at);
  taskfile({ quick: true, more: true });
  await keeper.collect();
  expect(new Set(changes.flat())).toEqual(new Set(['more']));
  rmSync(join(directory, 'work', 'Taskfile.yml'));
  await keeper.collect();
  expect(journal.listed()).toMatchObject({ count: 0, collected_at: null, values: {} });
});

it('runs nothing for an agent that may write and not run commands, and says so', async () => {
  await using keeper = open({ ...COMMANDS, agent: 'claude', mode: 'acceptEdits' });
  await keeper.collect();
  expect(journal.fields()['quick']).toMatchObject({ value: null, error: expect.stringContaining('not run') });
  expect(existsSync(join(directory, 'ran'))).toBe(false);
});

it.skipIf(process.platform === 'win32').each([
  ['a device without an end', (path: string) => symlinkSync('/dev/zero', path), 'not a regular file'],
  ['a pipe that nobody writes into', (path: string) => execFileSync('mkfifo', [path]), 'not a regular file'],
  ['a link to a pipe', linkToPipe, 'not a regular file'],
  ['a file of more than 1 MB', (path: string) => writeFileSync(path, '#'.repeat(1_048_577)), 'more than'],
  ['includes without number', includeWithoutNumber, 'took over'],
])(
  'says what is wrong with %s as a Taskfile or an include, and a good one works again',
  async (_, make, problem) => {
    await using keeper = open();
    const file = join(directory, 'work', 'Taskfile.yml');
    rmSync(file);
    make(file);
    await keeper.collect();
    rmSync(file);
    taskfile({ quick: true });
    await keeper.collect();
    expect(journal.fields()['quick']?.value).toBe('quick');
    make(join(directory, 'work', 'more.yml'));
    writeFileSync(
      file,
      `version: '3'\nincludes: {more: {taskfile: more.yml, optional: true}}\ntasks: {quick: {meta: {}}}\n`,
    );
    await keeper.collect();
    expect(complaints).toEqual([expect.stringContaining(problem), expect.stringContaining(problem)]);
    expect(journal.fields()).toEqual({});
  },
  120_000,
);

function linkToPipe(path: string): void {
  execFileSync('mkfifo', [`${path}.pipe`]);
  symlinkSync(`${path}.pipe`, path);
}

/** Each level includes the next one twice. */
function includeWithoutNumber(path: string): void {
  const levels = Array.from({ length: 24 }, (_, level) => (level === 0 ? path : `${path}.${level}`));
  for (const [index, level] of levels.entries()) {
    const next = levels[index + 1];
    const includes = next === undefined ? '' : `includes: {a: ${next}, b: ${next}}\n`;
    writeFileSync(level, `version: '3'\n${includes}`);
  }
}

function open(launch: Launch = COMMANDS): MetadataKeeper {
  return new MetadataKeeper({
    journal,
    clock: systemClock,
    place: {
      launch,
      directory: join(directory, 'work'),
      env: { PATH: `${join(directory, 'bin')}:/usr/bin:/bin` },
      cell: null,
    },
    lookedAt: () => 0,
    changed: (names) => {
      kept.push(journal.fields());
      changes.push(names);
    },
    complain: (problem) => complaints.push(problem),
  });
}

function taskfile(tasks: Readonly<Record<string, boolean>>): void {
  const lines = Object.entries(tasks).map(
    ([name, listed]) => `  ${name}: {meta: {include_in_list: ${listed}}}`,
  );
  writeFileSync(join(directory, 'work', 'Taskfile.yml'), [`version: '3'`, 'tasks:', ...lines].join('\n'));
}
