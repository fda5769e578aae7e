import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentView } from '../../src/domain/agent.ts';
import { AGENT_NAMES } from '../../src/domain/values/agent-names.ts';
import {
  agentOf,
  agentsOf,
  failure,
  signalFile,
  until,
  waitIdle,
  type Answer,
} from '../support/fleets/fleet-under-test.ts';
import { script } from '../support/script.ts';
import type { Subject } from './subject.ts';

const PULL_REQUEST = 'https://example.com/team/setup/pull/7';

const YAML_SPEC = `objective: Make the export faster
context: |
  It takes 40 s today, „too long“ for everybody.
constraints: [no new dependency]
deliverables:
  - a patch
checks:
  - run: npm test
    name: the tests
# ${'long '.repeat(2000)}

`;

const JSON_SPEC = JSON.stringify({
  objective: 'Mend the import',
  context: 'It drops rows',
  constraints: ['keep the format'],
  deliverables: ['a patch', 'a test'],
  checks: [{ run: 'npm test' }],
});

/** What every backend promises of new agents. */
export function createContract(subject: Subject): void {
  describe('create', () => {
    const { ask } = subject;
    /** Longer than a list shows. */
    const task = (): string =>
      script({ say: 'on and '.repeat(40) }, { hold: signalFile(subject.fleet(), 'go-create') });
    let created: { agent: AgentView; message: string };
    let working: AgentView;
    let plain: AgentView;

    beforeAll(async () => {
      created = (await ask('create_agent', {
        project: 'setup',
        role: 'SCRIPTED',
        task: task(),
        name: 'Export-1',
        spec: YAML_SPEC,
        pull_request_url: PULL_REQUEST,
      })) as never;
      working = await until(
        () => agentOf(ask, 'export-1'),
        ({ current_task }) => current_task !== null,
      );
      const answer = await ask('create_agent', {
        project: 'DataOne',
        task: 'say it',
        name: 'j',
        spec: JSON_SPEC,
      });
      plain = answer['agent'] as AgentView;
    });

    afterAll(async () => {
      writeFileSync(signalFile(subject.fleet(), 'go-create'), '');
      await waitIdle(ask);
    });

    it('answers the new agent as show_agent does, and names it [T-create_agent-output]', () => {
      expect(created.message).toContain('Export-1');
      expect(Object.keys(created.agent).toSorted()).toEqual(Object.keys(working).toSorted());
      const { name, workspace_id, project, role, spec, created_at, created_by, pull_request } = working;
      expect(created.agent).toMatchObject({ name, workspace_id, project, role, spec, created_at });
      expect(created.agent).toMatchObject({ created_by, pull_request: { url: pull_request?.url } });
      expect(working).toMatchObject({ name: 'Export-1', project: 'Setup', role: 'scripted' });
    });

    it('needs a project and a task and nothing else, and finds a name [T-create_agent-input, FR-003]', async () => {
      for (const [field, input] of Object.entries({
        project: { task: 'x', name: 'nameless', role: 'scripted' },
        task: { project: 'Setup', name: 'nameless', role: 'scripted' },
      })) {
        const error = await failure(ask('create_agent', input));
        expect(error).toMatchObject({ code: 'INVALID_INPUT', details: { field } });
      }
      const taken = (await agentsOf(ask)).map((agent) => agent.name.toLowerCase());
      const { agent } = await ask('create_agent', { project: 'Setup', task: 'x' });
      const { name } = agent as AgentView;
      expect(AGENT_NAMES).toContain(name);
      expect(name).toMatch(/^[a-z]{3,8}$/);
      expect(taken).not.toContain(name);
      expect((await agentOf(ask, name)).name).toBe(name);
    });

    it('makes nothing for a project or a role that does not exist [T-create_agent-not-found]', async () => {
      const before = await agentsOf(ask);
      for (const input of [
        { project: 'Nowhere', task: 'x', name: 'ghost' },
        { project: 'Setup', task: 'x', name: 'ghost', role: 'nobody' },
      ]) {
        const error = await failure(ask('create_agent', input));
        expect(error.code).toBe('NOT_FOUND');
      }
      expect((await agentsOf(ask)).map(({ name }) => name)).toEqual(before.map(({ name }) => name));
      expect((await failure(ask('show_agent', { agent_name: 'ghost' }))).code).toBe('NOT_FOUND');
    });

    it('makes nothing for a spec that is empty or malformed [EDGE-09]', async () => {
      const before = await agentsOf(ask);
      for (const spec of [
        '',
        ' \n\t',
        'objective: [unclosed',
        'objective:\n\tx: 1',
        '{"objective": 5}',
        '{"objective": "x", "checks": {"run": 1}}',
        'constraints: {a: b}',
        'deliverables: [1, 2]',
      ]) {
        const error = await failure(
          ask('create_agent', { project: 'Setup', task: 'x', name: 'ghost', spec }),
        );
        expect(error, spec).toMatchObject({ code: 'INVALID_INPUT', details: { field: 'spec' } });
      }
      expect(await agentsOf(ask)).toHaveLength(before.length);
      expect((await failure(ask('show_agent', { agent_name: 'ghost' }))).code).toBe('NOT_FOUND');
    });

    it('takes a spec in YAML or JSON and gives it back as it came [FR-018, FR-019, FR-020]', async () => {
      const inJson = await agentOf(ask, 'j');
      for (const [agent, spec] of [
        [working, YAML_SPEC],
        [inJson, JSON_SPEC],
      ] as const) {
        expect(agent.spec).toBe(spec);
        expect(agent.fleet_metadata['fleet_mcp_agent_spec']).toBe(spec);
      }
    });

    it('shows the core metadata of a new agent at its task [META-core-keys, META-only-prefixed, AGENT-current-task]', async () => {
      expect(working).toMatchObject({ status: 'busy', current_task: task() });
      expect(working.fleet_metadata).toMatchObject({
        fleet_mcp_agent_name: 'Export-1',
        fleet_mcp_role: 'scripted',
        fleet_mcp_project: 'Setup',
        fleet_mcp_agent_spec: YAML_SPEC,
        fleet_mcp_current_task: task(),
      });
      await ask('set_agent_metadata', { agent_name: 'j', key: 'fleet_mcp_note', value: '12' });
      for (const { fleet_metadata } of [working, plain, await agentOf(ask, 'j')]) {
        expect(Object.keys(fleet_metadata).length).toBeGreaterThanOrEqual(4);
        for (const [key, value] of Object.entries(fleet_metadata)) {
          expect(key).toMatch(/^fleet_mcp_./);
          expect(value).toEqual(expect.any(String));
        }
      }
      for (const key of ['note', 'mcp_note', 'fleet_mcp_', 'FLEET_MCP_NOTE']) {
        const error = await failure(ask('set_agent_metadata', { agent_name: 'j', key, value: 'x' }));
        expect(error).toMatchObject({ code: 'INVALID_INPUT', details: { field: 'key' } });
      }
    });

    it('shows the pull request that an agent was created with [US3-1]', async () => {
      expect(working.pull_request?.url).toBe(PULL_REQUEST);
      expect(working.fleet_metadata['fleet_mcp_pull_request_url']).toBe(PULL_REQUEST);
      const listed = (await agentsOf(ask)).find(({ name }) => name === 'Export-1');
      expect(listed?.pull_request?.url).toBe(PULL_REQUEST);
    });

    it('shows no pull request where there is none [META-optional-unset]', async () => {
      for (const agent of [plain, await agentOf(ask, 'j')]) {
        expect(agent.pull_request).toBeNull();
        const keys = Object.keys(agent.fleet_metadata);
        expect(keys.filter((key) => key.startsWith('fleet_mcp_pull_request'))).toEqual([]);
      }
      const listed: Answer | undefined = (await agentsOf(ask)).find(({ name }) => name === 'j');
      expect(listed?.['pull_request']).toBeNull();
    });
  });
}
