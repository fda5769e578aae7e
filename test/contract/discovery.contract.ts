import { describe, expect, it } from 'vitest';
import { agentsOf, failure, type Answer } from '../support/fleets/fleet-under-test.ts';
import type { Subject } from './subject.ts';

/** What every backend promises of projects and roles. */
export function discoveryContract(subject: Subject): void {
  describe('discovery', () => {
    const { ask } = subject;
    const projects = async (): Promise<Answer[]> =>
      (await ask('list_agent_projects'))['projects'] as Answer[];

    it('answers every project with all its fields, for no input [T-list_agent_projects-output]', async () => {
      const answer = await ask('list_agent_projects', {});
      const all = answer['projects'] as Answer[];
      expect(answer['total_count']).toBe(all.length);
      for (const project of all) {
        expect(project).toEqual({
          id: expect.stringMatching(/\S/),
          name: expect.stringMatching(/\S/),
          display_name: expect.stringMatching(/\S/),
          description: expect.any(String),
          template_id: expect.stringMatching(/\S/),
          template_name: expect.stringMatching(/\S/),
          backend: expect.stringMatching(/\S/),
        });
      }
      expect((await failure(ask('list_agent_projects', { project: 'Setup' }))).code).toBe('INVALID_INPUT');
    });

    it('names every configured project and says what it is for [US5-2, FR-030]', async () => {
      const all = await projects();
      expect(new Set(all.map((project) => project['name']))).toEqual(new Set(['DataOne', 'Setup']));
      expect(all).toHaveLength(2);
      const setup = all.find((project) => project['name'] === 'Setup');
      expect(setup?.['description']).toBe('Development container for coding tasks');
      expect(all.every((project) => typeof project['description'] === 'string')).toBe(true);
    });

    it('answers the roles of a project with all their fields [T-list_agent_roles-output]', async () => {
      for (const { name, id } of await projects()) {
        const answer = await ask('list_agent_roles', { project: name });
        const roles = answer['roles'] as Answer[];
        expect(answer).toMatchObject({ project: name, total_count: roles.length });
        expect(roles.length).toBeGreaterThan(0);
        for (const role of roles) {
          expect(role).toEqual({
            id: expect.stringMatching(/\S/),
            name: expect.stringMatching(/\S/),
            display_name: expect.stringMatching(/\S/),
            description: expect.any(String),
            project_id: id,
            default: expect.any(Boolean),
          });
        }
        expect(roles.filter((role) => role['default'] === true).map((role) => role['name'])).toEqual([
          'scripted',
        ]);
      }
    });

    it('knows no roles of a project that does not exist [T-list_agent_roles-not-found]', async () => {
      const error = await failure(ask('list_agent_roles', { project: 'no such project' }));
      expect(error.code).toBe('NOT_FOUND');
      expect(error.message).toContain('"no such project"');
    });

    it('lists what there is when a project or a role does not exist [EDGE-10]', async () => {
      const before = await agentsOf(ask);
      const names = (await projects()).map((project) => project['name']);
      const calls = [
        () => ask('list_agent_roles', { project: 'Nowhere' }),
        () => ask('create_agent', { project: 'Nowhere', task: 'x' }),
      ];
      for (const call of calls) {
        const error = await failure(call());
        expect(error.code).toBe('NOT_FOUND');
        expect(error.details).toMatchObject({ field: 'project', projects: names });
      }
      const roles = (await ask('list_agent_roles', { project: 'Setup' }))['roles'] as Answer[];
      const error = await failure(ask('create_agent', { project: 'Setup', task: 'x', role: 'poet' }));
      expect(error.code).toBe('NOT_FOUND');
      expect(error.details).toMatchObject({ field: 'role', roles: roles.map((role) => role['name']) });
      expect(await agentsOf(ask)).toHaveLength(before.length);
    });
  });
}
