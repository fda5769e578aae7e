import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KeptInProject } from '../../src/cli/kept-repositories.ts';
import { runFleet, type Finished } from '../support/fleet-process.ts';
import { agentOf, askAs, idleAgent, type Answer, type Ask } from '../support/fleet-under-test.ts';
import { localFleet, type LocalFleet } from '../support/local-fleet.ts';
import { script } from '../support/script.ts';

let fleet: LocalFleet;
let ask: Ask;
const branches: Record<string, string> = {};

const run = (...args: string[]): Promise<Finished> => runFleet(args, { env: fleet.env });
const git = (...args: string[]): string =>
  execFileSync('git', ['-C', fleet.repository, ...args], { encoding: 'utf8' }).trim();
const both = (): string[] => [branches['papi'] ?? '', branches['sony'] ?? ''];
const refs = (): string => git('for-each-ref', '--format=%(refname:short)', 'refs/heads');

beforeAll(async () => {
  fleet = localFleet();
  ask = askAs(fleet.fleet);
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
afterAll(() => fleet[Symbol.asyncDispose]());

describe('fleet kept', () => {
  it('lists the branches on which work of deleted agents is kept [CLI-kept]', async () => {
    const [forPeople, forPrograms] = await Promise.all([run('kept'), run('kept', 'list', '--json')]);
    const { kept, total_count } = JSON.parse(forPrograms.stdout) as {
      kept: KeptInProject[];
      total_count: number;
    };
    expect(kept.map(({ branch }) => branch).toSorted()).toEqual(both());
    expect(total_count).toBe(2);
    expect(kept.find(({ agent_name }) => agent_name === 'papi')).toMatchObject({ projects: ['DataOne'] });
    expect(kept.find(({ agent_name }) => agent_name === 'sony')).toMatchObject({
      projects: ['Setup'],
      repository: fleet.repository,
      commit: git('rev-parse', branches['sony'] ?? ''),
      subject: git('log', '-1', '--format=%s', branches['sony'] ?? ''),
    });
    for (const word of [branches['sony'], branches['papi'], 'DataOne', 'Work of agent sony'])
      expect(forPeople.stdout).toContain(word);
    expect(forPeople.stdout).not.toContain('alive');
    expect(branches['clean']).toBe('null');
  });

  it('restores one to a branch, once, and leaves what is kept', async () => {
    expect(await run('kept', 'restore', 'SONY')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('restored/sony'),
    });
    expect(git('show', 'restored/sony:work.txt')).toBe('of sony');
    expect(await run('kept', 'restore', 'sony')).toMatchObject({ code: 4 });
    const again = await run('kept', 'restore', branches['sony'] ?? '', '--as', 'again', '--json');
    expect(JSON.parse(again.stdout)).toMatchObject({ branch: 'again', from: branches['sony'] });
    expect(refs().split('\n')).toEqual(expect.arrayContaining([branches['sony'], 'again', 'restored/sony']));
    expect(await run('kept', 'restore', 'clean')).toMatchObject({ code: 3 });
  });

  it('prunes what is older, when it is told that it may', async () => {
    const before = refs();
    expect(await run('kept', 'prune', '--older-than', '1d', '--yes')).toMatchObject({ code: 0, stdout: '' });
    expect(await run('kept', 'prune', '--older-than', '0s')).toMatchObject({ code: 2 });
    expect(refs()).toBe(before);
    const { stdout } = await run('kept', 'prune', '--older-than', '0s', '--yes', '--json');
    expect((JSON.parse(stdout) as { deleted: string[] }).deleted.toSorted()).toEqual(both());
    expect(refs()).not.toContain('fleet-kept');
    expect(refs()).toContain('restored/sony');
  });
});

describe('fleet gc', () => {
  it('shows what deleted agents left, removes old archives when told, and no live agent', async () => {
    const archive = join(fleet.home, 'archive');
    const [old = '', ...recent] = readdirSync(archive);
    expect(recent).toHaveLength(2);
    const longAgo = new Date('2001-01-01');
    for (const name of readdirSync(join(archive, old), { recursive: true }))
      utimesSync(join(archive, old, String(name)), longAgo, longAgo);
    utimesSync(join(archive, old), longAgo, longAgo);
    const shown = JSON.parse((await run('gc', '--json')).stdout) as Answer;
    expect(shown).toMatchObject({ home: fleet.home, older_than: '30d' });
    const parts = shown['parts'] as Answer[];
    expect(parts.find(({ name }) => name === 'archives')).toMatchObject({
      all: { count: 3 },
      old: { count: 1 },
      removed: { count: 0 },
    });
    expect(parts.find(({ name }) => name === 'kept_branches')).toMatchObject({ all: { count: 0 } });
    expect(readdirSync(archive)).toHaveLength(3);
    expect(await run('gc', '--yes')).toMatchObject({ code: 0 });
    expect(readdirSync(archive).toSorted()).toEqual(recent.toSorted());
    expect(await run('gc', '--yes', '--older-than', '0s')).toMatchObject({ code: 0 });
    expect(readdirSync(archive)).toEqual([]);
    const alive = await agentOf(ask, 'alive');
    expect(alive).toMatchObject({ status: 'idle' });
    expect(existsSync(join(fleet.home, 'agents', alive.workspace_id, 'journal.db'))).toBe(true);
    expect(existsSync(join(fleet.home, 'worktrees', alive.workspace_id, 'work.txt'))).toBe(true);
  });
});
