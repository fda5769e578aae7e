import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../platform/clock.ts';
import type { FactBody } from '../../domain/fact.ts';
import type { Actor } from '../../domain/principal.ts';
import { JournalReader } from './journal-reader.ts';
import { Journal } from './journal.ts';
import { LogWriter } from './log-writer.ts';
import { ownJournal } from '../own-journal.ts';

const BY: Actor = { principal: 'user:tester', door: 'cli' };
let directory: string;
let count = 0;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'fleet-journal-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function newFile(): string {
  return join(directory, `journal-${++count}.db`);
}

function accepted(task_id: string): FactBody {
  return { kind: 'task.accepted', task_id, message: `text ${task_id}`, source: 'human', front: false };
}

describe('a journal', () => {
  it('is read by others while it is written, and by the next process that opens it', () => {
    const file = newFile();
    {
      using journal = new Journal(file, systemClock);
      using reader = JournalReader.open(file);
      journal.append(BY, accepted('a'), accepted('b'));
      expect(reader?.state()).toEqual(journal.state());
      expect(reader?.facts().map(({ seq }) => seq)).toEqual([1, 2]);
    }
    using again = new Journal(file, systemClock);
    expect(again.state().queue).toEqual(['a', 'b']);
    again.append(BY, accepted('c'));
    expect(again.facts().map(({ seq, by }) => [seq, by.principal])).toEqual([
      [1, 'user:tester'],
      [2, 'user:tester'],
      [3, 'user:tester'],
    ]);
  });

  it('writes all facts of a call or none, and tells nobody of none', () => {
    using journal = new Journal(newFile(), systemClock);
    const told: number[] = [];
    journal.onFact(({ seq }) => told.push(seq));
    journal.append(BY, accepted('a'));
    const before = journal.state();
    expect(() => journal.append(BY, accepted('b'), accepted('a'))).toThrow(/UNIQUE/);
    expect(journal.state()).toEqual(before);
    expect(journal.facts()).toHaveLength(1);
    expect(journal.historyRow('b')).toBeUndefined();
    expect(told).toEqual([1]);
    journal.append(BY, accepted('b'));
    expect(journal.state().queue).toEqual(['a', 'b']);
  });

  it('refuses one that a newer Fleet wrote, also to read', () => {
    const file = newFile();
    new Journal(file, systemClock)[Symbol.dispose]();
    const database = new DatabaseSync(file);
    database.exec('PRAGMA user_version = 99');
    database.close();
    const newer = expect.objectContaining({
      code: 'SERVICE_UNAVAILABLE',
      details: { reason: 'newer_state' },
    });
    expect(() => new Journal(file, systemClock)).toThrow(newer);
    expect(() => JournalReader.open(file)).toThrow(newer);
  });

  it('is not there to read before it is made', () => {
    expect(JournalReader.open(join(directory, 'nowhere.db'))).toBeUndefined();
    writeFileSync(join(directory, 'empty.db'), '');
    expect(JournalReader.open(join(directory, 'empty.db'))).toBeUndefined();
  });
});

describe('the log in a journal', () => {
  it('cuts a line that is too long, and says so in a fact', () => {
    using journal = new Journal(newFile(), systemClock);
    const log = new LogWriter(journal, systemClock, () => {});
    log.write('INFO', 'output', 'x'.repeat(20_000));
    log.write('INFO', 'output', 'short');
    log.flush();
    const [short, long] = journal.log({ page: 1, page_size: 2 }).rows;
    expect(short?.message).toBe('short');
    expect(long?.message.length).toBeLessThan(17_000);
    expect(long?.message).toContain('3616 more characters cut');
    expect(journal.facts().at(-1)?.body).toEqual({ kind: 'log.cut', entries: 0, characters: 3616 });
  });

  it('cuts no character in two', () => {
    using journal = new Journal(newFile(), systemClock);
    const log = new LogWriter(journal, systemClock, () => {});
    log.write('INFO', 'output', `${'x'.repeat(16_383)}😀${'y'.repeat(10)}`);
    log.flush();
    const [row] = journal.log({ page: 1, page_size: 1 }).rows;
    expect(row?.message).toMatch(/x(😀)?… \(/u);
  });

  it('keeps the newest 50,000 entries, and says in a fact what it dropped', () => {
    using journal = new Journal(newFile(), systemClock);
    const log = new LogWriter(journal, systemClock, () => {});
    for (let index = 1; index <= 55_001; index++) log.write('INFO', 'output', `line ${index}`);
    log.flush();
    const { rows, total_count } = journal.log({ page: 1, page_size: 1 });
    expect(rows[0]?.message).toBe('line 55001');
    expect(total_count).toBe(50_000);
    expect(journal.log({ page: 50_000, page_size: 1 }).rows[0]?.message).toBe('line 5002');
    expect(journal.facts().map(({ body }) => body)).toEqual([
      expect.objectContaining({ kind: 'log.cut', entries: 5001 }),
    ]);
  });
});

describe('taking a journal over', () => {
  it('is for one at a time, and records the end of a runner that died', async () => {
    const own = (waitFor = () => false) =>
      ownJournal({ directory, workspace_id: 'nobody-has-this-marker', clock: systemClock, waitFor });
    {
      using first = await own();
      first?.journal.append(
        BY,
        { kind: 'runner.started', generation: 1, pid: 1, version: '1' },
        { kind: 'agent.admitted' },
        { kind: 'agent.ready' },
        accepted('a'),
        accepted('b'),
        { kind: 'task.started', task_id: 'a', message: 'text a' },
      );
      expect(await own()).toBeUndefined();
    }
    {
      using next = await own();
      expect(next?.journal.historyRow('a')).toMatchObject({
        state: 'interrupted',
        needs_user_attention: true,
      });
      expect(next?.journal.historyRow('b')).toMatchObject({ state: 'queued' });
      expect(next?.journal.state()).toMatchObject({
        attended: false,
        running: null,
        queue: ['b'],
        phase: 'pending',
      });
    }
    using last = await own();
    expect(last?.journal.facts().filter(({ body }) => body.kind === 'task.ended')).toHaveLength(1);
  });

  it('ends a task as canceled when that was asked for before the runner died', async () => {
    const inner = mkdtempSync(join(directory, 'own-'));
    const own = () =>
      ownJournal({
        directory: inner,
        workspace_id: 'nobody-has-this-marker',
        clock: systemClock,
        waitFor: () => false,
      });
    {
      using first = await own();
      first?.journal.append(
        BY,
        { kind: 'runner.started', generation: 1, pid: 1, version: '1' },
        { kind: 'agent.ready' },
        accepted('a'),
        { kind: 'task.started', task_id: 'a', message: 'text a' },
        { kind: 'task.cancel_requested', task_id: 'a' },
      );
    }
    using next = await own();
    expect(next?.journal.historyRow('a')).toMatchObject({ state: 'canceled', needs_user_attention: false });
  });
});
