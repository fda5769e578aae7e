import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { agentPaths } from '../../src/backends/local/records/paths.ts';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import { agentOf, agentsOf, idleAgent, until } from '../support/fleets/fleet-under-test.ts';
import type { LocalFleet } from '../support/fleets/local-fleet.ts';
import { script } from '../support/script.ts';
import { measures } from './measures.ts';
import { fleetBranches, git, processesOf } from './on-this-machine.ts';

const it = fleetTest();

/** Looks at this machine for what an agent may have left. */
function leftOf(fleet: LocalFleet, workspaceId: string): readonly string[] {
  const { workspace, directory, socket, selfSocket } = agentPaths(fleet.home, workspaceId);
  return [
    ...[workspace, directory, socket, selfSocket].filter((path) => existsSync(path)),
    ...processesOf(workspaceId).map((pid) => `process ${pid}`),
  ];
}

describe('delete_agent on this machine', () => {
  it('removes an idle agent, its workspace, its branch and its runner [US4-1, FR-006, T-delete_agent-output]', async ({
    fleet,
    ask,
  }) => {
    const { workspace_id } = await idleAgent(ask, 'idle');
    expect(fleetBranches(fleet.repository)).toEqual(['fleet/idle']);
    await until(
      async () => leftOf(fleet, workspace_id).length,
      (count) => count === 5,
    );
    const answer = await ask('delete_agent', { agent_name: 'idle' });
    expect(leftOf(fleet, workspace_id)).toEqual([]);
    expect(fleetBranches(fleet.repository)).toEqual([]);
    expect(answer).toEqual({
      agent_name: 'idle',
      workspace_id,
      message: expect.stringContaining('idle'),
      kept: null,
    });
    expect(await agentsOf(ask)).toEqual([]);
  });

  it('ends the work of a busy agent, whatever it started [US4-2]', async ({ fleet, ask }) => {
    const { workspace_id } = await idleAgent(ask, 'busy');
    const begun = join(fleet.directory, 'begun');
    await ask('start_agent_task', {
      agent_name: 'busy',
      task_description: script(
        { orphan: 600 },
        { ignore: ['SIGINT', 'SIGTERM'] },
        { write: begun },
        { hold: join(fleet.directory, 'never') },
      ),
    });
    await until(async () => existsSync(begun), Boolean);
    expect(processesOf(workspace_id).length).toBeGreaterThan(2);
    const answer = await ask('delete_agent', { agent_name: 'busy' });
    expect(leftOf(fleet, workspace_id)).toEqual([]);
    expect(fleetBranches(fleet.repository)).toEqual([]);
    expect(answer).toMatchObject({ kept: null });
    expect(await agentsOf(ask)).toEqual([]);
    expect(readdirSync(join(fleet.home, 'agents'))).toEqual([]);
  });

  it('keeps commits and uncommitted changes of an agent at work [EDGE-07]', async ({ fleet, ask }) => {
    const begun = join(fleet.directory, 'begun-work');
    const { agent } = await ask('create_agent', {
      project: 'Setup',
      role: 'shell',
      name: 'worker',
      task: `echo committed > one; git add one
        git -c user.name=A -c user.email=a@localhost commit --quiet -m "first half"
        echo loose > two; mkdir sub; echo deep > sub/three; echo changed >> README.md
        echo staged > four; git add four; touch "${begun}"; sleep 600`,
    });
    const { workspace_id } = agent as { workspace_id: string };
    await until(async () => existsSync(begun), Boolean);
    expect((await agentOf(ask, 'worker')).status).toBe('busy');
    const { kept, message } = await ask('delete_agent', { agent_name: 'worker' });
    expect(kept).toBe(`fleet-kept/worker/${workspace_id}`);
    expect(message).toContain(String(kept));
    expect(leftOf(fleet, workspace_id)).toEqual([]);
    expect(fleetBranches(fleet.repository)).toEqual([kept]);
    const file = (name: string): string => git(fleet.repository, 'show', `${String(kept)}:${name}`);
    expect(['one', 'two', 'sub/three', 'four'].map(file)).toEqual(['committed', 'loose', 'deep', 'staged']);
    expect(file('README.md')).toBe('# a project\nchanged');
    expect(git(fleet.repository, 'log', '--format=%s', String(kept)).split('\n')).toContain('first half');
  });

  it('leaves nothing of an agent with a queue, and the bench times it [SC-006]', async ({ fleet, ask }) => {
    const { workspace_id } = await idleAgent(ask, 'queued', { project: 'DataOne' });
    for (const hold of ['never-1', 'never-2']) {
      const task_description = script({ hold: join(fleet.directory, hold) });
      await ask('start_agent_task', { agent_name: 'queued', task_description, when_busy: 'queue' });
    }
    await ask('delete_agent', { agent_name: 'queued' });
    expect(leftOf(fleet, workspace_id)).toEqual([]);
    const other = join(fleet.directory, 'data-one');
    expect(fleetBranches(other)).toEqual([]);
    expect(git(other, 'worktree', 'list', '--porcelain')).not.toContain(workspace_id);
    expect(await measures()).toContainEqual(expect.stringContaining('delete'));
  });
});
