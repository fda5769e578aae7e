import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import { agentOf, idleAgent, until, type Ask } from '../support/fleets/fleet-under-test.ts';
import { localFleet } from '../support/fleets/local-fleet.ts';

const it = fleetTest(() =>
  localFleet((config) => Object.assign(config.projects['DataOne'] ?? {}, { default_role: 'shell' })),
);

const commit = (file: string): string =>
  `echo work > ${file}; git add .; git -c user.name=A -c user.email=a@localhost commit -qm ${file}`;

interface Numbers {
  readonly changed_files: number;
  readonly insertions: number;
  readonly deletions: number;
}

/** The list and the diff agree. */
async function expectNumbers(ask: Ask, name: string, files: number): Promise<void> {
  const expected = { changed_files: files, insertions: files, deletions: 0 };
  await until(
    () => agentOf(ask, name),
    (agent) => (agent['git'] as Numbers | null)?.changed_files === files,
  );
  expect((await agentOf(ask, name))['git']).toMatchObject(expected);
  expect(await ask('show_agent_diff', { agent_name: name })).toMatchObject({
    total_files: files,
    insertions: files,
  });
}

describe('the numbers of what an agent has changed', () => {
  it.for(['merge', 'squash', 'rebase'] as const)(
    'are of its own work after updates, a landing by %s and its undo, awake or not',
    async (strategy, { fleet, ask }) => {
      const name = `agent-${strategy}`;
      const repository = join(fleet.directory, 'data-one');
      const user = (script: string): string =>
        execFileSync('sh', ['-ec', script], { cwd: repository, encoding: 'utf8' });
      await idleAgent(ask, name, { project: 'DataOne', role: 'shell', task: commit(`${name}-one`) });
      await expectNumbers(ask, name, 1);
      user(
        `for n in 1 2 3; do echo $n > ${name}-$n; done; git add .; git -c user.name=T -c user.email=t@localhost commit -qm more`,
      );
      await ask('update_agent', { agent_name: name });
      await expectNumbers(ask, name, 1);
      const { land_id } = await ask('land_agent', { agent_name: name, strategy });
      await expectNumbers(ask, name, 0);
      expect(await ask('start_forecast', { project: 'DataOne' })).toMatchObject({
        order: [],
        merged: [],
        left_out: expect.arrayContaining([name]) as string[],
      });
      await ask('stop_agent', { agent_name: name });
      await ask('undo_land', { land_id });
      await expectNumbers(ask, name, 1);
      await ask('land_agent', { agent_name: name, strategy });
      await expectNumbers(ask, name, 0);
      await ask('restart_agent', { agent_name: name });
      await ask('start_agent_task', { agent_name: name, task_description: commit(`${name}-two`) });
      await expectNumbers(ask, name, 1);
      await ask('delete_agent', { agent_name: name, discard_work: true });
    },
  );
});
