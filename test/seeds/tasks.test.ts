import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { pagingOf } from '../../src/domain/values/paging.ts';
import type { Caller } from '../../src/domain/principal.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { findRun } from '../../src/platform/processes/process-tree.ts';
import { Journal } from '../../src/runner/journal/journal.ts';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import {
  agentOf,
  agentsOf,
  askAs,
  failure,
  history,
  idleAgent,
  logOf,
  until,
  waitIdle,
  type Answer,
} from '../support/fleets/fleet-under-test.ts';
import { localFleet, type LocalFleet } from '../support/fleets/local-fleet.ts';
import { script } from '../support/script.ts';

const READER: Caller = {
  principal: { kind: 'token', name: 'reviewer' },
  door: 'http',
  source: 'human',
  scopes: new Set(['read']),
};

const it = fleetTest(() =>
  localFleet((config) => {
    config.projects['Strict'] = { ...config.projects['Setup'], stuck_after: '300ms' };
  }),
);
it.beforeAll(async ({ ask }) => {
  await idleAgent(ask, 'shell', { role: 'shell', task: 'true' });
});

const file = (fleet: LocalFleet, name: string): string => join(fleet.directory, name);

describe('a task on this machine', () => {
  it('is interrupted when it is canceled, however young it is [US2-3]', async ({ fleet, ask }) => {
    const { workspace_id } = await agentOf(ask, 'shell');
    const [begun, interrupted, terminated] = [
      file(fleet, 'begun'),
      file(fleet, 'interrupted'),
      file(fleet, 'terminated'),
    ];
    const task = (more: string): string =>
      `trap 'touch "${terminated}"; exit 1' TERM; ${more} while :; do sleep 0.02; done`;
    const start = (task_description: string) =>
      ask('start_agent_task', { agent_name: 'shell', task_description });
    await start(task(`trap 'touch "${interrupted}"; exit 1' INT; touch "${begun}";`));
    await until(async () => existsSync(begun), Boolean);
    await ask('cancel_agent_task', { agent_name: 'shell' });
    await waitIdle(ask, 'shell');
    expect(await agentOf(ask, 'shell')).toMatchObject({ status: 'idle', current_task: null });
    expect(existsSync(interrupted)).toBe(true);
    expect(findRun(workspace_id)).toEqual([]);
    for (let young = 0; young < 10; young++) {
      await start(task(''));
      await ask('cancel_agent_task', { agent_name: 'shell' });
      await waitIdle(ask, 'shell');
      expect((await history(ask, 'shell'))[0]).toMatchObject({ state: 'canceled' });
      expect(existsSync(terminated), `the SIGINT of task ${young} was lost`).toBe(false);
    }
  });

  it('that shows no progress for too long makes its agent stuck [EDGE-04]', async ({ fleet, ask }) => {
    const go = file(fleet, 'go-stuck');
    await ask('create_agent', { project: 'Strict', name: 'stuck', task: script({ hold: go }) });
    const stuck = await until(
      () => agentOf(ask, 'stuck'),
      (agent) => agent.stuck,
    );
    expect(stuck).toMatchObject({ status: 'busy', needs_attention: true });
    expect(stuck.status_reason).toMatch(/no progress/);
    const waited = await ask('wait_for_agents', { agent_names: 'stuck', until: 'attention' });
    expect(waited).toMatchObject({ timed_out: false, agents: [{ name: 'stuck', stuck: true }] });
    writeFileSync(go, '');
    await waitIdle(ask, 'stuck');
    expect(await agentOf(ask, 'stuck')).toMatchObject({ stuck: false, needs_attention: false });
    const patient = file(fleet, 'go-patient');
    const { agent } = await ask('create_agent', {
      project: 'Setup',
      name: 'patient',
      task: script({ hold: patient }),
    });
    expect(agent).toMatchObject({ stuck: false });
    expect(await agentOf(ask, 'patient')).toMatchObject({ stuck: false, needs_attention: false });
    writeFileSync(patient, '');
  });
});

describe('a report', () => {
  it('has an http or https address or none, and words [TASK-uri, TASK-report-message]', async ({
    fleet,
    ask,
  }) => {
    const steps = [
      { report: 'with a link', uri: 'http://localhost:3000/a?b=c#d' },
      { report: 'without' },
      { report: 'bad link', uri: 'ftp://example.com/x' },
      { report: '' },
    ];
    await idleAgent(ask, 'reporter', { task: script(...steps) });
    const rows = await history(ask, 'reporter');
    expect(rows.map(({ kind, message, uri }) => [kind, message, uri])).toEqual([
      ['report', 'without', null],
      ['report', 'with a link', 'http://localhost:3000/a?b=c#d'],
      ['task', script(...steps), null],
    ]);
    const said = (await logOf(ask, 'reporter')).map((entry) => String(entry['message']));
    expect(said.filter((line) => line.startsWith('fleet report exited with 2'))).toHaveLength(2);
    const self: Caller = {
      principal: { kind: 'agent', name: 'reporter' },
      door: 'self',
      source: 'agent',
      scopes: new Set(['self']),
      self: { agent_name: 'reporter' },
    };
    for (const [field, input] of [
      ['uri', { message: 'x', uri: 'ftp://example.com' }],
      ['uri', { message: 'x', uri: 'nonsense' }],
      ['uri', { message: 'x', uri: 'javascript:alert(1)' }],
      ['uri', { message: 'x', uri: 'file:///etc/passwd' }],
      ['message', { message: '' }],
      ['message', { message: ' \t' }],
      ['message', {}],
      ['agent_name', { message: 'x', agent_name: 'not a name' }],
    ] as const) {
      const error = await failure(askAs(fleet.fleet, self)('report_task', input));
      expect(error).toMatchObject({ code: 'INVALID_INPUT', details: { field } });
    }
    expect(await history(ask, 'reporter')).toHaveLength(3);
  });
});

describe('what an agent was made with', () => {
  it('can be read by another principal to verify its work [US3-4]', async ({ fleet, ask }) => {
    const spec = `objective: verify me\ncontext: |\n  ${'all of this. '.repeat(1000)}\n`;
    await ask('create_agent', { project: 'Setup', task: 'true', role: 'shell', name: 'verified', spec });
    const reader = askAs(fleet.fleet, READER);
    expect(await agentOf(reader, 'verified')).toMatchObject({ spec, created_by: 'user:tester' });
    expect((await failure(reader('delete_agent', { agent_name: 'verified' }))).code).toBe('FORBIDDEN');
  });

  it('does not change with the configuration [AGENT-role-immutable]', async ({ fleet, ask }) => {
    const out = file(fleet, 'frozen');
    fleet.configure((config) => {
      config.roles['frozen'] = {
        agent: 'command',
        command: ['sh', '-c', `echo "old $COLOR $(cat .git/objects/info/alternates)" > "${out}"`],
        env: { COLOR: 'red' },
      };
      config.projects['Frozen'] = { repository: fleet.repository, default_role: 'frozen' };
    });
    const before = await idleAgent(ask, 'frozen', { project: 'Frozen' });
    const said = readFileSync(out, 'utf8');
    expect(said).toBe(`old red ${join(fleet.repository, '.git', 'objects')}\n`);
    fleet.configure((config) => {
      config.roles['frozen'] = { agent: 'command', command: ['sh', '-c', `echo new > "${out}"`] };
      config.projects['Frozen'] = { repository: join(fleet.directory, 'data-one'), setup: 'false' };
    });
    const again = async (): Promise<string> => {
      writeFileSync(out, '');
      await ask('start_agent_task', { agent_name: 'frozen', task_description: 'again' });
      await waitIdle(ask, 'frozen');
      return readFileSync(out, 'utf8');
    };
    expect(await again()).toBe(said);
    // A restart takes the environment anew, and nothing else.
    const restart = async (): Promise<void> => {
      await ask('restart_agent', { agent_name: 'frozen' });
      await waitIdle(ask, 'frozen');
    };
    await restart();
    expect(await again()).toBe(said.replace('red', ''));
    fleet.configure((config) => {
      delete config.projects['Frozen'];
      delete config.roles['frozen'];
    });
    await restart();
    expect(await again()).toBe(said.replace('red', ''));
    const { project, role, workspace_id } = await agentOf(ask, 'frozen');
    expect({ project, role, workspace_id }).toEqual({
      project: 'Frozen',
      role: 'frozen',
      workspace_id: before.workspace_id,
    });
    expect((await agentsOf(ask, { project_filter: 'Frozen' })).map(({ name }) => name)).toEqual(['frozen']);
  });
});

describe('the pages of a history', () => {
  it('say where they are, also when there is nothing [T-history-flags]', async ({ fleet, ask }) => {
    const agent_name = 'shell';
    for (let more = 0; more < 6; more++) {
      await ask('start_agent_task', { agent_name, task_description: 'true', when_busy: 'queue' });
    }
    await waitIdle(ask, agent_name);
    const total = (await history(ask, agent_name)).length;
    const last = Math.ceil(total / 2);
    for (const [page, before, after] of [
      [1, false, true],
      [2, true, true],
      [last - 1, true, true],
      [last, true, false],
    ] as const) {
      const answer: Answer = await ask('show_agent_task_history', { agent_name, page, page_size: 2 });
      expect(answer).toMatchObject({ page, total_pages: last, total_count: total });
      expect(answer).toMatchObject({ has_previous_page: before, has_next_page: after });
    }
    using journal = new Journal(file(fleet, 'empty.db'), systemClock);
    const { rows, total_count } = journal.history({ page: 1, page_size: 20 });
    expect({ rows, ...pagingOf({ page: 1, page_size: 20 }, total_count) }).toEqual({
      rows: [],
      total_count: 0,
      page: 1,
      page_size: 20,
      total_pages: 0,
      has_next_page: false,
      has_previous_page: false,
    });
  });
});
