import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { archivesOf, compileCacheBytes, removeArchive, totalBytes } from './gc-home.ts';

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

it('measures archives by all their files and dates them by the newest', () => {
  file(`archive/${ID}/journal.db`, 100, 1000);
  file(`archive/${ID}/bin/fleet`, 20, 3000);
  utimesSync(join(home, 'archive', ID), 2000, 2000);
  file(`agents/${ID}/journal.db`, 5000, 1);
  file('archive/notes.txt', 7, 1);
  const archives = archivesOf(home);
  expect(archives).toEqual([{ path: join(home, 'archive', ID), bytes: 120, changed_at: 3_000_000 }]);
  expect(totalBytes(archives)).toBe(120);
});

it('removes an archive, and nothing that it links to', () => {
  file('agents/live/journal.db', 10, 1);
  mkdirSync(join(home, 'archive', ID), { recursive: true });
  symlinkSync(join(home, 'agents'), join(home, 'archive', ID, 'link'));
  const [archive] = archivesOf(home);
  expect(archive?.bytes).toBeLessThan(200);
  if (archive !== undefined) removeArchive(archive);
  expect(archivesOf(home)).toEqual([]);
  expect(existsSync(join(home, 'agents', 'live', 'journal.db'))).toBe(true);
});

it('finds nothing in a new home', () => {
  expect(archivesOf(home)).toEqual([]);
  expect(compileCacheBytes(home)).toBe(0);
  file('cache/compile/v24/one', 30, 1);
  expect(compileCacheBytes(home)).toBe(30);
});
