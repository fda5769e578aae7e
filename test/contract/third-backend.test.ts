import { expect } from 'vitest';
import { BACKENDS } from '../../src/fleet/backend-table.ts';
import { startKeeper } from '../../src/fleet/keeper.ts';
import { openFleet } from '../../src/fleet/open-fleet.ts';
import { collectGarbage } from '../../src/upkeep/gc/collect-garbage.ts';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import { agentsOf, askAs, HUMAN, idleAgent } from '../support/fleets/fleet-under-test.ts';
import { folderKind } from '../support/fleets/folder-backend.ts';

const it = fleetTest();

it('a third kind of backend takes one line in the table', async ({ fleet: { directory, env } }) => {
  let kept = 0;
  const counted: typeof folderKind = {
    open: (place, parts) => {
      const folder = folderKind.open(place, parts);
      return {
        backends: async () =>
          (await folder.backends()).map((backend) =>
            Object.assign(backend, { keep: async () => void (kept += 1) }),
          ),
      };
    },
  };
  await using opened = openFleet({ env, cwd: directory }, { ...BACKENDS, folder: counted });
  const ask = askAs(opened.fleet);

  expect((await opened.backends()).map(({ name }) => name)).toEqual(['local', 'folder']);
  expect((await opened.backendsOf('folder')).map(({ name }) => name)).toEqual(['folder']);
  expect(await opened.backendsOf('nowhere')).toEqual([]);

  await idleAgent(ask, 'here');
  const [folder] = await opened.backendsOf('folder');
  const [project] = (await folder?.projects()) ?? [];
  const [role] = project === undefined ? [] : ((await folder?.roles(project)) ?? []);
  if (folder === undefined || project === undefined || role === undefined) throw new Error('no folder');
  await folder.create({
    workspace_id: crypto.randomUUID(),
    task_id: crypto.randomUUID(),
    name: 'there',
    project,
    role,
    task: 'get ready',
    spec: null,
    caller: HUMAN,
  });
  expect((await agentsOf(ask)).map(({ name }) => name)).toEqual(['here', 'there']);
  expect(
    await ask('start_agent_task', { agent_name: 'there', task_description: 'go', when_busy: 'queue' }),
  ).toHaveProperty('task');

  const parts = await collectGarbage(opened, { age: 0, archiveBytes: 0, keptAge: undefined, remove: false });
  expect(parts.find(({ name }) => name === 'folders')?.all.count).toBe(1);

  const stopped = new AbortController();
  const keeping = startKeeper(opened, stopped.signal);
  await expect.poll(() => kept).toBeGreaterThan(0);
  stopped.abort();
  await keeping;
});
