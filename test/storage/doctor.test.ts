import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { runFleet } from '../support/fleets/fleet-process.ts';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import { idleAgent, until } from '../support/fleets/fleet-under-test.ts';
import { localFleet, processesNaming, type LocalFleet } from '../support/fleets/local-fleet.ts';
import { DAMAGES, settleLog, spoilTable } from './damage.ts';

interface Check {
  readonly name: string;
  readonly state: string;
  readonly message: string;
  readonly fix?: string;
}

let journal: string;

const it = fleetTest(() =>
  localFleet((config) => {
    config.projects['Setup'] = { ...config.projects['Setup'], sleep_after: '100ms' };
  }),
);
it.beforeAll(async ({ fleet, ask }) => {
  const { workspace_id } = await idleAgent(ask, 'sony');
  journal = join(fleet.home, 'agents', workspace_id, 'journal.db');
  await until(
    async () => processesNaming(fleet.directory),
    (left) => left.length === 0,
  );
});

describe('fleet doctor', () => {
  it('tells the free space, and that store and journals are whole', async ({ fleet }) => {
    const checks = await doctor(fleet);
    expect(checks.get('disk')?.message).toContain('free');
    for (const name of ['store', 'journals']) expect(checks.get(name)).toMatchObject({ state: 'ok' });
    expect([...checks.keys()].filter((name) => /^leftover (?!sockets)/.test(name))).toEqual([]);
  });

  it('finds what belongs to no agent, each with what to do', async ({ fleet }) => {
    const lost = '00000000-0000-4000-8000-000000000000';
    for (const place of ['agents', 'worktrees'])
      mkdirSync(join(fleet.home, place, lost), { recursive: true });
    execFileSync('git', ['-C', fleet.repository, 'branch', 'fleet/nobody']);
    const checks = await doctor(fleet);
    expect(checks.get('leftover directories')?.message).toBe(join(fleet.home, 'agents', lost));
    expect(checks.get('leftover worktrees')?.message).toBe(join(fleet.home, 'worktrees', lost));
    expect(checks.get('leftover branches')?.message).toBe(`fleet/nobody in ${fleet.repository}`);
    for (const [name, { state, fix }] of checks)
      if (name.startsWith('leftover'))
        expect([name, state, fix]).toEqual([name, 'warn', expect.stringMatching(/\S/)]);
    for (const place of ['agents', 'worktrees']) rmSync(join(fleet.home, place, lost), { recursive: true });
  });

  it.for([
    ['a damaged page', () => spoilTable(journal, 'facts')],
    ['nothing', () => DAMAGES['is empty'](journal)],
    ['garbage', () => DAMAGES['is garbage'](journal)],
  ] as const)('finds a journal with %s in it, and how to mend it', async ([, spoil], { fleet }) => {
    settleLog(journal);
    renameSync(journal, `${journal}.good`);
    execFileSync('cp', [`${journal}.good`, journal]);
    spoil();
    expect((await doctor(fleet)).get('journals')).toMatchObject({
      state: 'fail',
      message: `damaged or gone: sony (${journal})`,
      fix: expect.stringContaining('fleet restart sony'),
    });
    rmSync(journal);
    renameSync(`${journal}.good`, journal);
  });

  it('finds a damaged store, and the damaged one beside the new one that a command made', async ({
    fleet,
  }) => {
    const store = join(fleet.home, 'store.db');
    spoilTable(store, 'summaries');
    expect((await doctor(fleet)).get('store')).toMatchObject({
      state: 'fail',
      message: `${store} is damaged`,
    });
    await runFleet(['list'], { env: fleet.env });
    const checks = await doctor(fleet);
    expect(checks.get('store')).toMatchObject({ state: 'ok' });
    expect(checks.get('leftover damaged files')?.message).toContain(`${store}.damaged-`);
  });
});

async function doctor(fleet: LocalFleet): Promise<ReadonlyMap<string, Check>> {
  const { stdout } = await runFleet(['doctor', '--json'], { env: fleet.env });
  const { checks } = JSON.parse(stdout) as { checks: Check[] };
  return new Map(checks.map((check) => [check.name, check]));
}
