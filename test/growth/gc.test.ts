import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runFleet } from '../support/fleet-process.ts';
import { agentOf, askAs, history, idleAgent, logOf, type Ask } from '../support/fleet-under-test.ts';
import { localFleet, type LocalFleet } from '../support/local-fleet.ts';
import { script } from '../support/script.ts';

interface Part {
  readonly name: string;
  readonly all: { readonly count: number; readonly bytes: number };
  readonly old: { readonly count: number; readonly bytes: number };
  readonly removed: { readonly count: number; readonly bytes: number };
  readonly note?: string;
}

const LONG_AGO = new Date('2001-01-01');
const CLEAN = '00000000-0000-4000-8000-000000000001';
const WITH_WORK = '00000000-0000-4000-8000-000000000002';

let fleet: LocalFleet;
let ask: Ask;
let journal: string;
let facts: number;

const gc = async (...args: string[]): Promise<Map<string, Part>> => {
  const { stdout, code } = await runFleet(['gc', '--json', ...args], { env: fleet.env });
  expect(code).toBe(0);
  return new Map((JSON.parse(stdout) as { parts: Part[] }).parts.map((part) => [part.name, part]));
};
const git = (...args: string[]): string =>
  execFileSync('git', ['-C', fleet.repository, ...args], { encoding: 'utf8', stdio: 'pipe' });
const inHome = (...path: string[]): string => join(fleet.home, ...path);

/** Makes a database as a month would have left it. */
function change(file: string, ...statements: string[]): void {
  const database = new DatabaseSync(file);
  for (const statement of statements) database.exec(statement);
  database.close();
}

function old(path: string): void {
  for (const name of existsSync(path) ? readdirSync(path, { recursive: true, encoding: 'utf8' }) : [])
    utimesSync(join(path, name), LONG_AGO, LONG_AGO);
  utimesSync(path, LONG_AGO, LONG_AGO);
}

function oldFile(...path: string[]): string {
  const file = inHome(...path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, 'x'.repeat(1000));
  utimesSync(file, LONG_AGO, LONG_AGO);
  return file;
}

function orphan(id: string): string {
  const path = inHome('worktrees', id);
  git('worktree', 'add', '--quiet', '--detach', path, 'main');
  return path;
}

beforeAll(async () => {
  fleet = localFleet();
  ask = askAs(fleet.fleet);
  const { workspace_id } = await idleAgent(ask, 'resting');
  await idleAgent(ask, 'awake');
  await idleAgent(ask, 'gone', { task: script({ write: 'work.txt' }) });
  await ask('delete_agent', { agent_name: 'gone' });
  await ask('stop_agent', { agent_name: 'resting' });
  await ask('wait_for_agents', { agent_names: 'resting' });
  journal = inHome('agents', workspace_id, 'journal.db');
  facts = (await fleet.fleet.facts('resting')).facts.length;
  change(journal, `UPDATE log SET at = '2001-01-01T00:00:00.000Z'`);
  change(inHome('store.db'), `UPDATE audit SET at = '2001-01-01T00:00:00.000Z'`);
  oldFile('store.db.corrupt-1');
  oldFile('agents', workspace_id, 'journal.db.v1.0');
  oldFile('cache', 'compile', 'v1.2.3-x64-abc', 'code');
  old(inHome('cache', 'compile', 'v1.2.3-x64-abc'));
  old(orphan(CLEAN));
  const path = orphan(WITH_WORK);
  writeFileSync(join(path, 'only-copy.txt'), 'work');
  old(path);
  old(inHome('archive', readdirSync(inHome('archive'))[0] ?? ''));
});
afterAll(() => fleet[Symbol.asyncDispose]());

const REMOVABLE = ['archives', 'set_aside', 'compile_cache', 'orphaned_worktrees', 'logs', 'store'];

describe('fleet gc', () => {
  it('shows what is old and removes none of it', async () => {
    const parts = await gc();
    for (const name of REMOVABLE) {
      expect([name, parts.get(name)?.old.count]).not.toEqual([name, 0]);
      expect(parts.get(name)?.removed.count).toBe(0);
    }
    expect(parts.get('set_aside')?.old.count).toBe(2);
    expect(parts.get('orphaned_worktrees')).toMatchObject({
      old: { count: 1 },
      note: expect.stringContaining(WITH_WORK),
    });
    expect(parts.get('kept_branches')).toMatchObject({ all: { count: 1 }, old: { count: 0, bytes: 0 } });
    expect(parts.get('kept_branches')?.all.bytes).toBeGreaterThan(0);
    expect(existsSync(inHome('worktrees', CLEAN))).toBe(true);
    expect(existsSync(inHome('store.db.corrupt-1'))).toBe(true);
  });

  it('removes it when it is told to, but no work, no fact, no history and nothing of a live agent', async () => {
    const parts = await gc('--yes');
    for (const name of REMOVABLE) expect([name, parts.get(name)?.removed.count]).not.toEqual([name, 0]);
    for (const path of [['store.db.corrupt-1'], ['worktrees', CLEAN], ['cache', 'compile', 'v1.2.3-x64-abc']])
      expect(existsSync(inHome(...path))).toBe(false);
    expect(existsSync(`${journal}.v1.0`)).toBe(false);
    expect(readdirSync(inHome('archive'))).toEqual([]);
    expect(existsSync(inHome('worktrees', WITH_WORK, 'only-copy.txt'))).toBe(true);
    expect(git('worktree', 'list')).not.toContain(CLEAN);

    expect(await logOf(ask, 'resting')).toEqual([]);
    expect(await history(ask, 'resting')).toHaveLength(1);
    const after = (await fleet.fleet.facts('resting')).facts;
    expect(after).toHaveLength(facts + 1);
    expect(after.at(-1)?.body).toMatchObject({ kind: 'log.cut', entries: expect.any(Number) });
    expect((await agentOf(ask, 'resting')).status).toBe('stopped');
    expect((await agentOf(ask, 'awake')).status).toBe('idle');
    expect(await logOf(ask, 'awake')).not.toEqual([]);
  });

  it('has nothing left to do then, and takes kept branches only when their age is named', async () => {
    for (const name of REMOVABLE.filter((each) => each !== 'store'))
      expect([name, (await gc()).get(name)?.old.count]).toEqual([name, 0]);
    await gc('--yes', '--older-than', '0s');
    expect(git('branch', '--list', 'fleet-kept/*')).toContain('fleet-kept/gone/');
    const parts = await gc('--yes', '--kept-older-than', '0s');
    expect(parts.get('kept_branches')?.removed.count).toBe(1);
    expect(parts.get('kept_branches')?.removed.bytes).toBeGreaterThan(0);
    expect(git('branch', '--list', 'fleet-kept/*')).toBe('');
    expect((await agentOf(ask, 'awake')).status).toBe('idle');
  });
});
