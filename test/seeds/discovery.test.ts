import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askAs, type Answer, type Ask } from '../support/fleets/fleet-under-test.ts';
import { localFleet, type LocalFleet } from '../support/fleets/local-fleet.ts';
import { callElsewhere } from './on-this-machine.ts';

let fleet: LocalFleet;
let bare: LocalFleet;
let ask: Ask;

beforeAll(() => {
  fleet = localFleet((config) => {
    config.roles['named'] = {
      agent: 'command',
      command: ['true'],
      display_name: 'A Name of its Own',
      description: 'Is named',
    };
    config.roles['Operator'] = { description: 'Runs our things' };
  });
  bare = localFleet((config) => {
    config.roles = {};
    for (const project of Object.values(config.projects)) delete project['default_role'];
  });
  ask = askAs(fleet.fleet);
});
afterAll(async () => {
  await bare[Symbol.asyncDispose]();
  await fleet[Symbol.asyncDispose]();
});

const rolesOf = async (asked: Ask, project = 'Setup'): Promise<Answer[]> =>
  (await asked('list_agent_roles', { project }))['roles'] as Answer[];

describe('the roles of a project on this machine', () => {
  it('are coder, operator and manager when none is configured [US5-1]', async () => {
    for (const project of ['Setup', 'DataOne']) {
      const roles = await rolesOf(askAs(bare.fleet), project);
      expect(roles.map((role) => [role['name'], role['default']])).toEqual([
        ['coder', true],
        ['operator', false],
        ['manager', false],
      ]);
      const descriptions = new Set(roles.map((role) => role['description']));
      expect(descriptions.size).toBe(3);
      for (const description of descriptions) expect(description).toMatch(/\w+ \w+/);
    }
  });

  it('are those and all of the configuration, with their descriptions [FR-028]', async () => {
    for (const project of ['Setup', 'DataOne']) {
      const roles = new Map((await rolesOf(ask, project)).map((role) => [role['name'], role['description']]));
      expect(new Set(roles.keys())).toEqual(
        new Set(['coder', 'Operator', 'manager', 'scripted', 'shell', 'named']),
      );
      expect(roles.get('scripted')).toBe('Does what it is told');
      expect(roles.get('named')).toBe('Is named');
      expect(roles.get('Operator')).toBe('Runs our things');
      expect(roles.get('coder')).toMatch(/code/);
      expect(roles.get('shell')).toBe('');
    }
  });

  it('have a display name, which is their name where they have none [ROLE-display-name]', async () => {
    const names = new Map((await rolesOf(ask)).map((role) => [role['name'], role['display_name']]));
    expect(names.get('named')).toBe('A Name of its Own');
    expect(names.get('scripted')).toBe('scripted');
    expect(names.get('shell')).toBe('shell');
    for (const name of names.values()) expect(name).toMatch(/\S/);
  });
});

describe('the projects on this machine', () => {
  it('have one id in every call and every process [PROJECT-id-stable]', async () => {
    const ids = (answer: Answer): unknown[] =>
      (answer['projects'] as Answer[]).map((project) => [project['name'], project['id']]);
    const here = ids(await ask('list_agent_projects'));
    expect(new Set(here.map((pair) => String(pair))).size).toBe(2);
    expect(ids(await ask('list_agent_projects'))).toEqual(here);
    expect(ids(await callElsewhere(fleet, 'list_agent_projects'))).toEqual(here);
    for (const [name, id] of here as [string, string][]) {
      for (const role of await rolesOf(ask, name)) expect(role['project_id']).toBe(id);
    }
  });
});
