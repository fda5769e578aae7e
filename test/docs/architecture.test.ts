import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fleetHandlers, selfHandlers } from '../../src/runner/runner-handlers.ts';
import type { Runner } from '../../src/runner/runner.ts';
import { Store } from '../../src/store/store.ts';
import { askAs, idleAgent } from '../support/fleets/fleet-under-test.ts';
import { localFleet } from '../support/fleets/local-fleet.ts';
import { script } from '../support/script.ts';

const text = readFileSync(new URL('../../ARCHITECTURE.md', import.meta.url), 'utf8');

/** The words in code of one cell of the row that begins with a text. */
function wordsOf(row: string, cell: number): readonly string[] {
  const line = text.split('\n').find((each) => each.startsWith(row)) ?? '';
  return [...(line.split(' | ')[cell] ?? '').matchAll(/`([^`]+)`/g)].map(([, word]) => word ?? '');
}

it('lists the calls of both sockets of a runner', () => {
  const runner = {} as Runner;
  expect(wordsOf('| `runner.sock`', 2)).toEqual(Object.keys(fleetHandlers(runner)));
  const self = selfHandlers(runner, { agent_name: 'sony', record: () => {} });
  expect(wordsOf('| `self.sock`', 2)).toEqual(Object.keys(self));
});

it('lists the tables of the store', () => {
  const directory = mkdtempSync(join(tmpdir(), 'fleet-tables-'));
  try {
    using store = new Store(directory);
    const tables = store
      .all(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
      .map((row) => String(row['name']));
    const start = text.indexOf('| table of the store |');
    const section = text.slice(start, text.indexOf('\n\n', start));
    const listed = [...section.matchAll(/^\| `([^|]+)` \|/gm)].flatMap(([, names]) =>
      (names ?? '').split('`, `'),
    );
    expect(listed.toSorted()).toEqual(tables.toSorted());
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

it('lists the files of a home', async () => {
  await using fleet = localFleet();
  const ask = askAs(fleet.fleet);
  await idleAgent(ask, 'gone', { task: script({ write: 'work.txt' }) });
  await ask('delete_agent', { agent_name: 'gone' });
  const { workspace_id } = await idleAgent(ask, 'sony', { task: script({ write: 'work.txt' }) });
  const start = text.indexOf('```\nstore.db');
  const listing = text.slice(start, text.indexOf('```', start + 3));
  const names = new Set(
    listing.split('\n').flatMap((line) =>
      line
        .slice(0, 29)
        .split(/[\s,]+|\//)
        .filter((name) => name !== ''),
    ),
  );
  const found = [...readdirSync(fleet.home), ...readdirSync(join(fleet.home, 'agents', workspace_id))].map(
    (name) => name.replace(/-(?:wal|shm|journal)$/, '').replace(/^[a-z-]+\.done$/, 'worktree.done'),
  );
  expect(found.filter((name) => !names.has(name))).toEqual([]);
});
