import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect } from 'vitest';
import type { KeptAgent } from '../../src/domain/kept-agent.ts';
import { runFleet, type Finished } from '../support/fleets/fleet-process.ts';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import { agentOf, idleAgent, type Answer } from '../support/fleets/fleet-under-test.ts';
import type { LocalFleet } from '../support/fleets/local-fleet.ts';
import { script } from '../support/script.ts';

const branches: Record<string, string> = {};

const run = (fleet: LocalFleet, ...args: string[]): Promise<Finished> => runFleet(args, { env: fleet.env });
const git = (fleet: LocalFleet, ...args: string[]): string =>
  execFileSync('git', ['-C', fleet.repository, ...args], { encoding: 'utf8' }).trim();
const refs = (fleet: LocalFleet): string =>
  git(fleet, 'for-each-ref', '--format=%(refname:short)', 'refs/heads');

const it = fleetTest();
it.beforeAll(async ({ ask }) => {
  const agents = { sony: 'Setup', papi: 'DataOne', clean: 'Setup' };
  await Promise.all(
    Object.entries(agents).map(async ([name, project]) => {
      const task = name === 'clean' ? 'nothing' : script({ write: 'work.txt', content: `of ${name}\n` });
      await idleAgent(ask, name, { project, task });
      branches[name] = String((await ask('delete_agent', { agent_name: name }))['kept']);
    }),
  );
  await idleAgent(ask, 'alive', { task: script({ write: 'work.txt' }) });
});

describe('fleet kept', () => {
  it('lists deleted agents, and the branches on which their work is kept [CLI-kept]', async ({ fleet }) => {
    const [forPeople, forPrograms] = await Promise.all([
      run(fleet, 'kept'),
      run(fleet, 'kept', 'list', '--json'),
    ]);
    const { kept, total_count } = JSON.parse(forPrograms.stdout) as {
      kept: KeptAgent[];
      total_count: number;
    };
    const shown = kept
      .toSorted((a, b) => a.agent_name.localeCompare(b.agent_name))
      .map(({ agent_name, branch, project }) => [agent_name, branch, project]);
    expect(shown).toEqual([
      ['clean', null, 'Setup'],
      ['papi', branches['papi'], 'DataOne'],
      ['sony', branches['sony'], 'Setup'],
    ]);
    expect(total_count).toBe(3);
    for (const word of [branches['sony'], branches['papi'], 'clean', 'DataOne', 'KB'])
      expect(forPeople.stdout).toContain(word);
    expect(forPeople.stdout).not.toContain('alive');
    expect(branches['clean']).toBe('null');
  });

  it('brings one back by its name, its id or its branch [CLI-kept-restore]', async ({ fleet, ask }) => {
    expect(await run(fleet, 'kept', 'restore', 'SONY')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('fleet restart sony'),
    });
    const { workspace_id } = await agentOf(ask, 'sony');
    expect(readFileSync(join(fleet.home, 'agents', workspace_id, 'work', 'work.txt'), 'utf8')).toBe(
      'of sony\n',
    );
    expect(await run(fleet, 'kept', 'restore', 'sony')).toMatchObject({ code: 3 });
    await ask('delete_agent', { agent_name: 'sony' });
    await idleAgent(ask, 'sony');
    expect(await run(fleet, 'kept', 'restore', 'sony')).toMatchObject({ code: 4 });
    const again = await run(fleet, 'kept', 'restore', branches['sony'] ?? '', '--as', 'again', '--json');
    expect(JSON.parse(again.stdout)).toMatchObject({ agent: { name: 'again', workspace_id } });
    await ask('delete_agent', { agent_name: 'again' });
    expect(await run(fleet, 'kept', 'restore', workspace_id, '--as', 'sony2')).toMatchObject({ code: 0 });
    await ask('delete_agent', { agent_name: 'sony2' });
    expect(await run(fleet, 'kept', 'restore', 'nobody')).toMatchObject({ code: 3 });
  });

  it('prunes branches that are older, with --yes', async ({ fleet }) => {
    const before = refs(fleet);
    expect(await run(fleet, 'kept', 'prune', '--older-than', '1d', '--yes')).toMatchObject({
      code: 0,
      stdout: '',
    });
    expect(await run(fleet, 'kept', 'prune', '--older-than', '0s')).toMatchObject({ code: 2 });
    expect(refs(fleet)).toBe(before);
    const { stdout } = await run(fleet, 'kept', 'prune', '--older-than', '0s', '--yes', '--json');
    expect((JSON.parse(stdout) as { deleted: string[] }).deleted).toHaveLength(2);
    expect(refs(fleet)).not.toContain('fleet-kept');
  });
});

describe('fleet gc', () => {
  it('shows what deleted agents left, removes old archives when told, and no live agent', async ({
    fleet,
    ask,
  }) => {
    const archive = join(fleet.home, 'archive');
    const [old = '', ...recent] = readdirSync(archive);
    expect(recent).toHaveLength(2);
    makeOld(join(archive, old, 'journal.db'));
    const shown = JSON.parse((await run(fleet, 'gc', '--json')).stdout) as Answer;
    expect(shown).toMatchObject({ home: fleet.home, older_than: '30d' });
    const parts = shown['parts'] as Answer[];
    expect(parts.find(({ name }) => name === 'archives')).toMatchObject({
      all: { count: 3 },
      old: { count: 1 },
      removed: { count: 0 },
    });
    expect(parts.find(({ name }) => name === 'kept_branches')).toMatchObject({ all: { count: 0 } });
    expect(readdirSync(archive)).toHaveLength(3);
    expect(await run(fleet, 'gc', '--yes')).toMatchObject({ code: 0 });
    expect(readdirSync(archive).toSorted()).toEqual(recent.toSorted());
    expect(await run(fleet, 'gc', '--yes', '--older-than', '0s')).toMatchObject({ code: 0 });
    expect(readdirSync(archive)).toEqual([]);
    const alive = await agentOf(ask, 'alive');
    expect(alive).toMatchObject({ status: 'idle' });
    expect(existsSync(join(fleet.home, 'agents', alive.workspace_id, 'journal.db'))).toBe(true);
    expect(existsSync(join(fleet.home, 'agents', alive.workspace_id, 'work', 'work.txt'))).toBe(true);
  });
});

/** As if its agent had been deleted long ago. */
function makeOld(journal: string): void {
  const database = new DatabaseSync(journal);
  database.exec(
    `UPDATE meta SET value = json_set(value, '$.updated_at', '2001-01-01T00:00:00.000Z') WHERE key = 'state'`,
  );
  database.close();
}
