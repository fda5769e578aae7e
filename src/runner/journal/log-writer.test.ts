import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Instant } from '../../domain/status.ts';
import { Journal } from './journal.ts';
import { LOG_LIMITS, LogWriter } from './log-writer.ts';

const LINE = 'x'.repeat(16_000);
let directory: string;
let file: string;
let journal: Journal;
let log: LogWriter;
let now: Instant;

const clock = { now: () => now };
const pass = (ms: number): void => {
  now = { ...now, at: now.at + ms, awake_ms: now.awake_ms + ms };
};
const print = (count: number, message: (index: number) => string): void => {
  for (let index = 1; index <= count; index++) log.write('INFO', 'output', message(index));
};
const cuts = () => journal.facts().flatMap(({ body }) => (body.kind === 'log.cut' ? [body] : []));
const newest = () => journal.log({ page: 1, page_size: 1 });

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'fleet-log-'));
  file = join(directory, 'journal.db');
  now = { at: 1_800_000_000_000, awake_ms: 1_000, boot: 'boot' };
  journal = new Journal(file, clock);
  log = new LogWriter(journal, clock, () => {});
});
afterEach(() => {
  log.settle();
  journal[Symbol.dispose]();
  rmSync(directory, { recursive: true, force: true });
});

describe('a log that is written', () => {
  it('keeps the newest lines within a number of bytes, and says in a fact what it dropped', () => {
    const count = Math.ceil((LOG_LIMITS.bytes * 1.2) / LINE.length);
    print(count, (index) => `${index} ${LINE}`);
    log.settle();
    const { rows, total_count } = newest();
    expect(rows[0]?.message.startsWith(`${count} x`)).toBe(true);
    expect(journal.entries.size).toMatchObject({ entries: total_count });
    expect(journal.entries.size.bytes).toBeLessThanOrEqual(LOG_LIMITS.bytes);
    expect(journal.entries.size.bytes).toBeGreaterThan(LOG_LIMITS.bytes * 0.9);
    const dropped = cuts().reduce((sum, { entries }) => sum + entries, 0);
    expect(dropped + total_count).toBe(count);
  });

  it('knows its size in bytes, also when it is opened again and when an older Fleet wrote it', () => {
    print(10, (index) => `😀 ${index}`);
    log.flush();
    const { size } = journal.entries;
    expect(size).toEqual({ entries: 10, bytes: 10 * 6 + 1 });
    const other = new DatabaseSync(file);
    other.exec(`DELETE FROM meta WHERE key = 'log_bytes'`);
    other.close();
    using again = new Journal(file, clock);
    expect(again.entries.size).toEqual(size);
  });

  it('takes all that it would keep in one go, and of a flood only so much a second, the newest', () => {
    print(1_000_000, (index) => `line ${index}`);
    log.settle();
    const { rows, total_count } = newest();
    expect(rows[0]?.message).toBe('line 1000000');
    // Were all of them written first, so many rows would have come and gone.
    const written = Number(rows[0]?.id);
    expect(written).toBeLessThan(65_000);
    expect(total_count).toBeLessThanOrEqual(LOG_LIMITS.entries + 5_000);
    const dropped = cuts().reduce((sum, { entries }) => sum + entries, 0);
    // One entry is about the gap itself.
    expect(dropped + total_count).toBe(1_000_001);
    const gap = journal.log({ page: 1, page_size: 6_000 }).rows.find(({ type }) => type === 'system');
    expect(gap).toMatchObject({ level: 'WARN', message: expect.stringContaining('were dropped') });
  });

  it('is written again as it comes once the flood is over', () => {
    print(200_000, () => 'flood');
    log.settle();
    const before = newest().total_count;
    pass(60_000);
    print(2_000, (index) => `after ${index}`);
    // Nobody asked for it to be written.
    expect(newest().total_count).toBeGreaterThan(before + 1_000);
  });

  it('that is cut all the time makes one fact a minute, and none is lost when its writer dies', () => {
    const long = (): void => {
      log.write('INFO', 'output', 'x'.repeat(20_000));
      log.flush();
    };
    long();
    for (let second = 0; second < 50; second++) {
      pass(1_000);
      long();
    }
    expect(cuts()).toHaveLength(1);
    expect(journal.entries.cut().characters).toBe(50 * 3616);
    {
      using next = new Journal(file, clock);
      const after = new LogWriter(next, clock, () => {});
      after.write('INFO', 'output', 'short');
      after.settle();
      expect(next.facts().at(-1)?.body).toEqual({ kind: 'log.cut', entries: 0, characters: 50 * 3616 });
      expect(next.entries.cut()).toEqual({ entries: 0, characters: 0 });
    }
  });

  it('waits with what it has while it cannot be written, and throws at nobody', () => {
    using other = new DatabaseSync(file);
    other.exec('ALTER TABLE log RENAME TO elsewhere');
    print(1_200, (index) => `line ${index}`);
    log.flush();
    other.exec('ALTER TABLE elsewhere RENAME TO log');
    log.flush();
    expect(newest()).toMatchObject({ total_count: 1_200, rows: [{ message: 'line 1200' }] });
  });

  it('drops what is older than a time, the oldest first', () => {
    print(5, (index) => `old ${index}`);
    log.flush();
    pass(10_000);
    const between = new Date(now.at).toISOString();
    print(5, (index) => `new ${index}`);
    log.flush();
    journal.entries.trimBefore(between);
    const { rows } = journal.log({ page: 1, page_size: 10 });
    expect(rows.map(({ message }) => message)).toEqual(['new 5', 'new 4', 'new 3', 'new 2', 'new 1']);
    expect(journal.entries.cut().entries).toBe(5);
  });
});
