import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { FLEET_ACTOR } from '../../src/domain/principal.ts';
import type { FactBody } from '../../src/domain/fact.ts';
import { openFleet } from '../../src/fleet/open-fleet.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { Journal } from '../../src/runner/journal/journal.ts';
import { taskfileFleet } from '../metadata/taskfile-fleet.ts';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import {
  agentOf,
  askAs,
  idleAgent,
  until,
  waitIdle,
  type Answer,
} from '../support/fleets/fleet-under-test.ts';
import { goTask, WITHOUT_GO_TASK } from '../support/installs/go-task.ts';
import { script } from '../support/script.ts';
import { measures } from './measures.ts';

let measured: readonly string[];
const bin = goTask();

const it = fleetTest();
it.beforeAll(async ({ ask }) => {
  measured = await measures();
  await ask('create_agent', { project: 'Setup', name: 'quick', task: 'x' });
  await waitIdle(ask, 'quick');
});

/** What the bench times must hold without a clock too, and the bench must have it. */
describe('what the bench measures', () => {
  it('create_agent leads to ready [SC-001]', async ({ fleet }) => {
    const kinds = (await fleet.fleet.facts('quick')).facts.map(({ body }) => body.kind);
    expect(kinds.indexOf('agent.ready')).toBeGreaterThan(kinds.indexOf('agent.created'));
    expect(kinds.indexOf('agent.ready')).toBeLessThan(kinds.indexOf('task.started'));
    expect(measured).toContainEqual(expect.stringContaining('create'));
  });

  it('a change of status is visible to lists and to waiting callers [SC-002]', async ({ fleet, ask }) => {
    await using other = openFleet({ env: fleet.env, cwd: fleet.directory });
    const others = askAs(other.fleet);
    const { cursor } = await others('wait_for_agents', { agent_names: 'quick' });
    const waiting = others('wait_for_agents', { until: 'any_change', cursor, timeout_seconds: 45 });
    const go = join(fleet.directory, 'go');
    await ask('start_agent_task', { agent_name: 'quick', task_description: script({ hold: go }) });
    expect((await agentOf(others, 'quick')).status).toBe('busy');
    expect(await waiting).toMatchObject({ timed_out: false, agents: [{ name: 'quick', status: 'busy' }] });
    writeFileSync(go, '');
    await waitIdle(others, 'quick');
    expect((await agentOf(ask, 'quick')).status).toBe('idle');
    expect(measured).toContainEqual(expect.stringContaining('status'));
  });

  it.skipIf(bin === undefined)(
    `show_agent has the metadata of quick commands in its answer${WITHOUT_GO_TASK} [MD-show-time]`,
    async () => {
      expect(measured).toContain('metadata');
      await using quick = taskfileFleet(bin ?? '', {
        'Taskfile.yml': `version: '3'\ntasks:\n  word: {meta: {include_in_list: true}, cmd: echo word}\n`,
      });
      const asking = askAs(quick.fleet);
      await idleAgent(asking, 'shown');
      const { metadata } = await until(
        () => agentOf(asking, 'shown'),
        (agent) => agent.metadata_collected_at !== null,
      );
      expect(metadata['word']?.value).toBe('word');
    },
  );

  it('any page of a long history holds its own tasks [SC-008]', ({ fleet }) => {
    const count = 3_000;
    using journal = new Journal(join(fleet.directory, 'long.db'), systemClock);
    const tasks = Array.from({ length: count }, (_, index): FactBody => {
      const task_id = String(index + 1);
      return { kind: 'task.accepted', task_id, message: `task ${task_id}`, source: 'human', front: false };
    });
    journal.append(FLEET_ACTOR, ...tasks);
    for (const page of [1, 2, 75, 149, 150]) {
      const { rows, total_count } = journal.history({ page, page_size: 20 });
      const newest = count - (page - 1) * 20;
      expect(total_count).toBe(count);
      expect(rows.map(({ id }) => Number(id))).toEqual(Array.from({ length: 20 }, (_, at) => newest - at));
    }
    expect(measured).toContainEqual(expect.stringMatching(/history.*100000/));
  });

  it('projects and roles are found as the configuration names them now [SC-009]', async ({ fleet, ask }) => {
    fleet.configure((config) => {
      config.projects['Fresh'] = { ...config.projects['Setup'], description: 'Just made' };
      config.roles['fresh'] = { agent: 'command', command: ['true'], description: 'New here' };
    });
    const { projects, total_count } = await ask('list_agent_projects');
    expect(total_count).toBe(3);
    expect(projects).toContainEqual(expect.objectContaining({ name: 'Fresh', description: 'Just made' }));
    const roles = (await ask('list_agent_roles', { project: 'Fresh' }))['roles'] as Answer[];
    expect(roles).toContainEqual(expect.objectContaining({ name: 'fresh', description: 'New here' }));
    expect(measured).toContainEqual(expect.stringMatching(/discovery|projects/));
  });
});
