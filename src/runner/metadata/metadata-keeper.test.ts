import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Launch } from '../../domain/launch.ts';
import type { MetadataFields } from '../../domain/taskfile-metadata.ts';
import { systemClock } from '../../platform/clock.ts';
import { Journal } from '../journal.ts';
import { MetadataKeeper } from './metadata-keeper.ts';

const LAUNCH: Launch = {
  name: 'sony',
  workspace_id: '00000000-0000-4000-8000-00000000feed',
  project: 'Setup',
  role: 'coder',
  spec: 'spec',
  created_at: '2027-01-01T00:00:00.000Z',
  created_by: 'user:tester',
  agent: 'command',
  command: [],
  system_prompt: null,
  model: null,
  env: {},
  on_crash: 'interrupt',
  stuck_after_ms: 1,
  sleep_after_ms: 1,
};

let directory: string;
let journal: Journal;
/** What was kept, each time. */
let kept: MetadataFields[];
let changes: (readonly string[])[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'fleet-keeper-'));
  journal = new Journal(join(directory, 'journal.db'), systemClock);
  kept = [];
  changes = [];
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
  await using keeper = open({ ...LAUNCH, agent: 'claude', mode: 'acceptEdits' });
  await keeper.collect();
  expect(journal.fields()['quick']).toMatchObject({ value: null, error: expect.stringContaining('not run') });
  expect(existsSync(join(directory, 'ran'))).toBe(false);
});

function open(launch = LAUNCH): MetadataKeeper {
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
    complain: () => {},
  });
}

function taskfile(tasks: Readonly<Record<string, boolean>>): void {
  const lines = Object.entries(tasks).map(
    ([name, listed]) => `  ${name}: {meta: {include_in_list: ${listed}}}`,
  );
  writeFileSync(join(directory, 'work', 'Taskfile.yml'), [`version: '3'`, 'tasks:', ...lines].join('\n'));
}
