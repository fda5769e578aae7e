import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AGENT_STATUSES } from '../../src/domain/status.ts';
import {
  agentOf,
  agentsOf,
  failure,
  idleAgent,
  signalFile,
  until,
  waitIdle,
  type Answer,
} from '../support/fleets/fleet-under-test.ts';
import { script } from '../support/script.ts';
import type { Subject } from './subject.ts';

const SPEC = 'Keep the lights on';
const SEED_FIELDS = [
  'name',
  'workspace_id',
  'status',
  'role',
  'project',
  'last_task',
  'created_at',
  'updated_at',
  'metadata_count',
  'metadata',
];

/** What every backend promises of list_agents and show_agent. */
export function lookingContract(subject: Subject): void {
  describe('looking', () => {
    const { ask } = subject;
    const task = (): string => script({ say: 'on it' }, { hold: signalFile(subject.fleet(), 'go-look') });
    const list = (filter: Answer = {}): Promise<Answer> => ask('list_agents', filter);

    beforeAll(async () => {
      await Promise.all([idleAgent(ask, 'rest'), idleAgent(ask, 'data', { project: 'DataOne', spec: SPEC })]);
      await ask('start_agent_task', { agent_name: 'data', task_description: task() });
      await until(
        () => agentOf(ask, 'data'),
        ({ current_task }) => current_task !== null,
      );
    });

    afterAll(async () => {
      writeFileSync(signalFile(subject.fleet(), 'go-look'), '');
      await waitIdle(ask);
    });

    it('lists every agent with its fields and counts them [T-list_agents-output]', async () => {
      const answer = await list();
      const agents = answer['agents'] as Answer[];
      expect(answer['total_count']).toBe(agents.length);
      expect(agents.length).toBeGreaterThanOrEqual(2);
      for (const agent of agents) {
        expect(agent).toMatchObject({
          name: expect.stringMatching(/\S/),
          project: expect.stringMatching(/^(Setup|DataOne)$/),
          role: 'scripted',
          last_task: expect.stringMatching(/\S/),
          created_at: expect.any(String),
          updated_at: expect.any(String),
          workspace_id: expect.any(String),
          metadata_count: expect.any(Number),
          metadata: expect.any(Object),
        });
        expect(AGENT_STATUSES).toContain(agent['status']);
      }
    });

    it('lists name, status and current task of each [US1-2, FR-004]', async () => {
      const agents = new Map((await agentsOf(ask)).map((agent) => [agent.name, agent]));
      expect(agents.get('data')).toMatchObject({ name: 'data', status: 'busy', current_task: task() });
      expect(agents.get('rest')).toMatchObject({ name: 'rest', status: 'idle', current_task: null });
    });

    it('lists those of one status [T-list_agents-status-filter]', async () => {
      const all = await agentsOf(ask);
      for (const status_filter of AGENT_STATUSES) {
        const answer = await list({ status_filter });
        const names = all.filter(({ status }) => status === status_filter).map(({ name }) => name);
        expect((answer['agents'] as Answer[]).map((agent) => agent['name'])).toEqual(names);
        expect(answer['total_count']).toBe(names.length);
      }
      expect((await list({ status_filter: 'busy' }))['agents']).toMatchObject([{ name: 'data' }]);
    });

    it('lists those of one project, in any spelling [T-list_agents-project-filter]', async () => {
      const names = (await agentsOf(ask))
        .filter(({ project }) => project === 'DataOne')
        .map(({ name }) => name);
      expect(names).toContain('data');
      expect(names).not.toContain('rest');
      for (const project_filter of ['DataOne', 'dataone', 'DATAONE']) {
        expect((await agentsOf(ask, { project_filter })).map(({ name }) => name)).toEqual(names);
      }
      const both = await agentsOf(ask, { project_filter: 'setup', status_filter: 'busy' });
      expect(both.map(({ name }) => name)).not.toContain('data');
    });

    it('refuses a status that is none [T-list_agents-bad-filter]', async () => {
      for (const status_filter of ['working', 'Busy', '', 'offline']) {
        const error = await failure(list({ status_filter }));
        expect(error).toMatchObject({ code: 'INVALID_INPUT', details: { field: 'status_filter' } });
      }
    });

    it('lists nothing when nothing matches [T-list_agents-no-match]', async () => {
      for (const filter of [
        { project_filter: 'Nowhere' },
        { status_filter: 'deleted' },
        { status_filter: 'busy', project_filter: 'Nowhere' },
      ]) {
        expect(await list(filter)).toEqual({ agents: [], total_count: 0 });
      }
    });

    it('shows an agent at work with its task, its spec and its metadata [US1-3, FR-005]', async () => {
      await ask('set_agent_metadata', { agent_name: 'data', key: 'fleet_mcp_ticket', value: 'A-7' });
      expect(await agentOf(ask, 'data')).toMatchObject({
        name: 'data',
        status: 'busy',
        current_task: task(),
        spec: SPEC,
        fleet_metadata: {
          fleet_mcp_agent_name: 'data',
          fleet_mcp_role: 'scripted',
          fleet_mcp_project: 'DataOne',
          fleet_mcp_agent_spec: SPEC,
          fleet_mcp_current_task: task(),
          fleet_mcp_ticket: 'A-7',
        },
      });
    });

    it('has the current task only while it is busy [AGENT-current-task]', async () => {
      const busy = await agentOf(ask, 'data');
      expect(busy.current_task).toBe(task());
      expect(busy.fleet_metadata['fleet_mcp_current_task']).toBe(task());
      const idle = await agentOf(ask, 'rest');
      expect(idle).toMatchObject({ status: 'idle', current_task: null });
      expect(idle.fleet_metadata).not.toHaveProperty('fleet_mcp_current_task');
    });

    it('keeps every field of the first contract beside the metadata [T-show_agent-output, MD-compatible]', async () => {
      const shown = await ask('show_agent', { agent_name: 'data' });
      expect(Object.keys(shown['agent'] as Answer)).toEqual(expect.arrayContaining(SEED_FIELDS));
      expect(shown['agent']).toMatchObject({ last_task: task(), project: 'DataOne', role: 'scripted' });
      for (const agent of (await list())['agents'] as Answer[]) {
        expect(Object.keys(agent)).toEqual(expect.arrayContaining(SEED_FIELDS));
      }
      const error = await failure(ask('show_agent', {}));
      expect(error).toMatchObject({ code: 'INVALID_INPUT', details: { field: 'agent_name' } });
    });

    it('has metadata of every agent, and none without a Taskfile [MD-always-present, MD-none-show, MD-none-list]', async () => {
      for (const listed of await agentsOf(ask)) {
        const shown = await agentOf(ask, listed.name);
        expect(listed).toMatchObject({ metadata_count: 0, metadata: {} });
        expect(shown).toMatchObject({ metadata_count: 0, metadata: {} });
        expect(listed.metadata).toEqual({});
        expect(shown.metadata).toEqual({});
      }
    });

    it('says every time in ISO 8601 and UTC [AGENT-times]', async () => {
      const agent_name = 'data';
      const answers = [
        await list(),
        await ask('show_agent', { agent_name }),
        await ask('show_agent_task_history', { agent_name }),
        await ask('show_agent_log', { agent_name, page_size: 100 }),
        await ask('wait_for_agents', { agent_names: 'rest' }),
        await ask('start_agent_task', { agent_name, task_description: 'next', when_busy: 'queue' }),
      ];
      const times = answers.flatMap((answer) => timesIn(answer));
      const keys = ['created_at', 'updated_at', 'busy_since', 'finished_at', 'timestamp', 'as_of'];
      expect(times.map(([key]) => key)).toEqual(expect.arrayContaining(keys));
      for (const [key, value] of times) {
        expect(value, key).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
      }
    });
  });
}

function timesIn(value: unknown): [string, string][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]): [string, string][] =>
    typeof inner === 'string' && /(_at|_since|as_of|timestamp)$/.test(key) ? [[key, inner]] : timesIn(inner),
  );
}
