import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { directoriesIn } from '../../platform/files-under.ts';
import { archivesPart } from '../../backends/local/gc/archives-part.ts';
import { homeParts } from './home-parts.ts';

const ID = '0b0cd5d7-33f8-4a1c-8f0f-3d0a55e6a001';
let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'fleet-gc-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function file(path: string, size: number, seconds: number): void {
  mkdirSync(join(home, path, '..'), { recursive: true });
  writeFileSync(join(home, path), 'x'.repeat(size));
  utimesSync(join(home, path), seconds, seconds);
}

it('directories are measured by all their files and dated by the newest', () => {
  file(`archive/${ID}/journal.db`, 100, 1000);
  file(`archive/${ID}/bin/fleet`, 20, 3000);
  utimesSync(join(home, 'archive', ID), 2000, 2000);
  expect(directoriesIn(join(home, 'archive'))).toEqual([
    { name: ID, path: join(home, 'archive', ID), bytes: 120, changed_at: 3_000_000 },
  ]);
  expect(directoriesIn(join(home, 'nothing'))).toEqual([]);
});

it('a link is neither followed nor removed with what it leads to', async () => {
  const outside = mkdtempSync(join(tmpdir(), 'fleet-outside-'));
  writeFileSync(join(outside, 'precious'), 'x');
  mkdirSync(join(home, 'archive', ID), { recursive: true });
  symlinkSync(outside, join(home, 'archive', ID, 'link'));
  symlinkSync(outside, join(home, 'archive', 'other'));
  const later = Date.now() + 60_000;
  for (const part of [archivesPart(home, { before: later, bytes: 0 }), ...homeParts(home, later)])
    await (await part.find()).remove();
  expect(existsSync(join(outside, 'precious'))).toBe(true);
  expect(existsSync(join(home, 'archive', ID))).toBe(false);
  rmSync(outside, { recursive: true });
});

it('only archives of agents are archives', async () => {
  file('archive/notes/text', 5, 1000);
  const archives = archivesPart(home, { before: Date.now() + 60_000, bytes: 0 });
  expect((await archives.find()).all.count).toBe(0);
});
