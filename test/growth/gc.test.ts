import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect } from 'vitest';
import { keepArchives } from '../../src/backends/local/kept/keep-archives.ts';
import { runFleet } from '../support/fleets/fleet-process.ts';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import { agentOf, history, idleAgent, logOf } from '../support/fleets/fleet-under-test.ts';
import type { LocalFleet } from '../support/fleets/local-fleet.ts';
import { script } from '../support/script.ts';

interface Part {
  readonly name: string;
  readonly all: { readonly count: number; readonly bytes: number };
  readonly old: { readonly count: number; readonly bytes: number };
  readonly removed: { readonly count: number; readonly bytes: number };
  readonly note?: string;
}

const LONG_AGO = new Date('2001-01-01');
const ORPHAN = '00000000-0000-4000-8000-000000000001';

let journal: string;
let facts: number;
let archived: string | undefined;

const gc = async (fleet: LocalFleet, ...args: string[]): Promise<Map<string, Part>> => {
  const { stdout, code } = await runFleet(['gc', '--json', ...args], { env: fleet.env });
  expect(code).toBe(0);
  return new Map((JSON.parse(stdout) as { parts: Part[] }).parts.map((part) => [part.name, part]));
};
const git = (fleet: LocalFleet, ...args: string[]): string =>
  execFileSync('git', ['-C', fleet.repository, ...args], { encoding: 'utf8', stdio: 'pipe' });
/** What Fleet's own repositories have of the archived agent. */
const refsOfFleet = (fleet: LocalFleet): string[] =>
  readdirSync(inHome(fleet, 'repositories')).flatMap((name) => {
    const path = inHome(fleet, 'repositories', name);
    const listed = execFileSync('git', ['-C', path, 'for-each-ref', `refs/agents/${archived}`], {
      encoding: 'utf8',
    });
    return listed.split('\n').filter((line) => line !== '');
  });
const inHome = (fleet: LocalFleet, ...path: string[]): string => join(fleet.home, ...path);

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

function oldFile(fleet: LocalFleet, ...path: string[]): string {
  const file = inHome(fleet, ...path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, 'x'.repeat(1000));
  utimesSync(file, LONG_AGO, LONG_AGO);
  return file;
}

const it = fleetTest();
it.beforeAll(async ({ fleet, ask }) => {
  const { workspace_id } = await idleAgent(ask, 'resting');
  await idleAgent(ask, 'awake');
  await idleAgent(ask, 'gone', { task: script({ write: 'work.txt' }) });
  await ask('delete_agent', { agent_name: 'gone' });
  await ask('stop_agent', { agent_name: 'resting' });
  await ask('wait_for_agents', { agent_names: 'resting' });
  journal = inHome(fleet, 'agents', workspace_id, 'journal.db');
  facts = (await fleet.fleet.facts('resting')).facts.length;
  change(journal, `UPDATE log SET at = '2001-01-01T00:00:00.000Z'`);
  change(inHome(fleet, 'store.db'), `UPDATE audit SET at = '2001-01-01T00:00:00.000Z'`);
  oldFile(fleet, 'store.db.corrupt-1');
  oldFile(fleet, 'agents', workspace_id, 'journal.db.v1.0');
  oldFile(fleet, 'cache', 'compile', 'v1.2.3-x64-abc', 'code');
  old(inHome(fleet, 'cache', 'compile', 'v1.2.3-x64-abc'));
  oldFile(fleet, 'worktrees', ORPHAN, 'only-copy.txt');
  [archived] = readdirSync(inHome(fleet, 'archive'));
  change(
    inHome(fleet, 'archive', archived ?? '', 'journal.db'),
    `UPDATE meta SET value = json_set(value, '$.updated_at', '2001-01-01T00:00:00.000Z') WHERE key = 'state'`,
  );
});

const REMOVABLE = ['archives', 'set_aside', 'compile_cache', 'logs', 'store'];

describe('fleet gc', () => {
  it('shows what is old and removes none of it', async ({ fleet }) => {
    const parts = await gc(fleet);
    expect(git(fleet, 'for-each-ref', `refs/fleet/pins/${archived}`)).not.toBe('');
    expect(refsOfFleet(fleet)).not.toEqual([]);
    for (const name of REMOVABLE) {
      expect([name, parts.get(name)?.old.count]).not.toEqual([name, 0]);
      expect(parts.get(name)?.removed.count).toBe(0);
    }
    expect(parts.get('set_aside')?.old.count).toBe(2);
    expect(parts.get('kept_branches')).toMatchObject({ all: { count: 1 }, old: { count: 0, bytes: 0 } });
    expect(parts.get('kept_branches')?.all.bytes).toBeGreaterThan(0);
    expect(existsSync(inHome(fleet, 'store.db.corrupt-1'))).toBe(true);
  });

  it('removes it with --yes, but no work, no fact, no history and nothing of a live agent', async ({
    fleet,
    ask,
  }) => {
    const parts = await gc(fleet, '--yes');
    for (const name of REMOVABLE) expect([name, parts.get(name)?.removed.count]).not.toEqual([name, 0]);
    for (const path of [['store.db.corrupt-1'], ['cache', 'compile', 'v1.2.3-x64-abc']])
      expect(existsSync(inHome(fleet, ...path))).toBe(false);
    expect(existsSync(`${journal}.v1.0`)).toBe(false);
    expect(readdirSync(inHome(fleet, 'archive'))).toEqual([]);
    expect(git(fleet, 'for-each-ref', `refs/fleet/pins/${archived}`)).toBe('');
    expect(refsOfFleet(fleet)).toEqual([]);
    expect(existsSync(inHome(fleet, 'worktrees', ORPHAN, 'only-copy.txt'))).toBe(true);

    expect(await logOf(ask, 'resting')).toEqual([]);
    expect(await history(ask, 'resting')).toHaveLength(1);
    const after = (await fleet.fleet.facts('resting')).facts;
    expect(after).toHaveLength(facts + 1);
    expect(after.at(-1)?.body).toMatchObject({ kind: 'log.cut', entries: expect.any(Number) });
    expect((await agentOf(ask, 'resting')).status).toBe('stopped');
    expect((await agentOf(ask, 'awake')).status).toBe('idle');
    expect(await logOf(ask, 'awake')).not.toEqual([]);
  });

  it('has nothing left to do then, and takes kept branches only when their age is named', async ({
    fleet,
    ask,
  }) => {
    for (const name of REMOVABLE.filter((each) => each !== 'store'))
      expect([name, (await gc(fleet)).get(name)?.old.count]).toEqual([name, 0]);
    await gc(fleet, '--yes', '--older-than', '0s');
    expect(git(fleet, 'branch', '--list', 'fleet-kept/*')).toContain('fleet-kept/gone/');
    const parts = await gc(fleet, '--yes', '--kept-older-than', '0s');
    expect(parts.get('kept_branches')?.removed.count).toBe(1);
    expect(parts.get('kept_branches')?.removed.bytes).toBeGreaterThan(0);
    expect(git(fleet, 'branch', '--list', 'fleet-kept/*')).toBe('');
    expect((await agentOf(ask, 'awake')).status).toBe('idle');
  });

  it('ends the oldest archives above a size, with the workspace counted', async ({ fleet, ask }) => {
    const sizes = { small: 1, large: 300 };
    for (const [name, kilobytes] of Object.entries(sizes)) {
      await idleAgent(ask, name, { role: 'shell', task: `head -c ${kilobytes}000 /dev/urandom > data` });
      await ask('delete_agent', { agent_name: name });
    }
    const { all } = (await gc(fleet)).get('archives') ?? {};
    expect(all?.count).toBe(2);
    expect(all?.bytes).toBeGreaterThan(300_000);
    expect((await gc(fleet, '--archive-limit', '1GB')).get('archives')?.old.count).toBe(0);
    const parts = await gc(fleet, '--yes', '--archive-limit', `${Math.floor((all?.bytes ?? 0) / 1024)}KB`);
    expect(parts.get('archives')?.removed.count).toBe(1);
    const { kept } = await ask('list_kept');
    expect(kept).toMatchObject([
      { agent_name: 'large', bytes: expect.any(Number) },
      { agent_name: 'small', bytes: null },
    ]);
    const { code } = await runFleet(['gc', '--archive-limit', 'much'], { env: fleet.env });
    expect(code).toBe(2);
  });

  it('is done for archives by a server too, once a day, also for what somebody left half removed', async ({
    fleet,
    ask,
  }) => {
    await gc(fleet, '--yes', '--older-than', '0s');
    const ids: string[] = [];
    for (const name of ['first', 'second']) {
      ids.push((await idleAgent(ask, name)).workspace_id);
      await ask('delete_agent', { agent_name: name });
    }
    const [half = '', whole = ''] = ids;
    renameSync(inHome(fleet, 'archive', half), inHome(fleet, 'archive', `${half}.ended`));
    const pins = (): string[] =>
      ids.filter((id) => git(fleet, 'for-each-ref', `refs/fleet/pins/${id}`) !== '');
    const day = 86_400_000;
    await keepArchives(fleet.home, Date.now());
    expect(pins()).toEqual([whole]);
    expect(existsSync(inHome(fleet, 'archive', whole))).toBe(true);
    await keepArchives(fleet.home, Date.now() + day / 2);
    await keepArchives(fleet.home, Date.now() + 31 * day);
    expect(pins()).toEqual([]);
    expect(readdirSync(inHome(fleet, 'archive'))).toEqual(['looked']);
  });
});
