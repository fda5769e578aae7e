import { describe, expect, it } from 'vitest';
import { fixedFleet } from '../../../test/support/fleets/fixed-fleet.ts';
import type { Backend } from '../../backends/backend.ts';
import { FleetError } from '../../domain/values/errors.ts';
import type { Project, Role } from '../../domain/project.ts';
import { Lookup, roleOf } from './lookup.ts';

const UNAVAILABLE = new FleetError('SERVICE_UNAVAILABLE', 'No answer.', { reason: 'timeout' });

describe('the agents of all backends', () => {
  it('are those of backends that answer; the others are named', async () => {
    const lookup = new Lookup([backend('one', ['sony']), broken('two')]);
    const { records, unavailable } = await lookup.records();
    expect(records.map(({ name }) => name)).toEqual(['sony']);
    expect(unavailable).toEqual([{ backend: 'two', message: 'No answer.' }]);
  });

  it('may be none, when a backend that answers has projects', async () => {
    const { records, unavailable } = await new Lookup([backend('one'), broken('two')]).records();
    expect(records).toEqual([]);
    expect(unavailable).toHaveLength(1);
    expect(await new Lookup([backend('one', [], [])]).records()).toEqual({ records: [], unavailable: [] });
  });

  it.each([
    ['the failure itself', [UNAVAILABLE], 'SERVICE_UNAVAILABLE', 'No answer.'],
    ['a failure of several', [UNAVAILABLE, UNAVAILABLE], 'SERVICE_UNAVAILABLE', 'No answer. No answer.'],
    [
      'a failure with another code',
      [new FleetError('FORBIDDEN', 'Not you.', { reason: 'token' })],
      'SERVICE_UNAVAILABLE',
      'Not you.',
    ],
    ['a defect as one', [new TypeError('a defect')], 'INTERNAL_ERROR', expect.any(String)],
  ])('are %s when no backend with projects answers', async (_, failures, code, message) => {
    const without = backend('without', [], []);
    const lookup = new Lookup([without, ...failures.map((failure, index) => broken(`b${index}`, failure))]);
    const thrown = await lookup.records().catch((error: unknown) => error);
    expect(thrown).toMatchObject({ code, message });
    if (failures[0] instanceof FleetError) expect(thrown).toMatchObject({ details: failures[0].details });
  });

  it('of a backend without projects count, and projects of one that does not list its agents do not', async () => {
    const orphans = new Lookup([backend('one', ['sony'], []), broken('two')]);
    expect((await orphans.records()).records).toHaveLength(1);
    const listless = fixedFleet({ name: 'one', list: () => Promise.reject(UNAVAILABLE) }).backend;
    await expect(new Lookup([listless]).records()).rejects.toBe(UNAVAILABLE);
  });

  it('do not count projects of a backend whose projects cannot be read', async () => {
    const half: Backend = fixedFleet({ name: 'half', projects: () => Promise.reject(UNAVAILABLE) }).backend;
    await expect(new Lookup([half, broken('two')]).records()).rejects.toBe(UNAVAILABLE);
  });
});

describe('an agent', () => {
  it('is found in any backend, also one that only the configuration names', async () => {
    const [own, more] = [backend('own', ['sony']), backend('more', ['kiwi'])];
    const lookup = new Lookup(async () => [own, more]);
    expect(lookup.opened).toEqual([]);
    expect(await lookup.find('Kiwi')).toMatchObject({ backend: more, agent: { name: 'kiwi' } });
    expect(lookup.opened).toEqual([own, more]);
    const { agent } = await lookup.find('sony');
    expect(lookup.backendOf({ ...agent, backend: 'own' })).toBe(own);
    expect(() => lookup.backendOf({ ...agent, backend: 'nowhere' })).toThrow('no backend is called nowhere');
  });

  it('that is not there is NOT_FOUND, with the nearest name', async () => {
    const lookup = new Lookup([backend('one', ['sony'])]);
    await expect(lookup.find('sonny')).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: 'There is no agent "sonny" in this fleet. Did you mean "sony"? list_agents shows the agents.',
      details: { field: 'agent_name', nearest: 'sony' },
    });
    const far = await lookup.find('something-else').catch((error: unknown) => error);
    expect(far).toMatchObject({
      message: 'There is no agent "something-else" in this fleet. list_agents shows the agents.',
    });
    expect(far).toHaveProperty('details', { field: 'agent_name' });
    await expect(lookup.find('user/sony')).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      details: { field: 'agent_name' },
    });
  });

  it('is reached without a look when its backend recalls it', async () => {
    const recalled = backend('one', ['sony']);
    const [agent] = await recalled.list();
    Object.assign(recalled, {
      recall: (name: string) => (name === 'recalled' ? agent : undefined),
    });
    const lookup = new Lookup([backend('zero'), recalled]);
    expect(await lookup.reach('recalled')).toMatchObject({ backend: recalled, agent: { name: 'sony' } });
    expect(await lookup.reach('sony')).toMatchObject({ agent: { name: 'sony' } });
    await expect(lookup.reach('nobody')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('projects', () => {
  it('are those of all backends that answer; an error only when there are none', async () => {
    const failing = broken('two');
    expect((await new Lookup([backend('one'), failing]).projects()).map(({ name }) => name)).toEqual([
      'Setup',
      'Site',
    ]);
    await expect(new Lookup([backend('one', [], []), failing]).projects()).rejects.toBe(UNAVAILABLE);
    expect(await new Lookup([backend('one', [], [])]).projects()).toEqual([]);
  });

  it('are found by name or alias, in any case', async () => {
    const [setup] = await backend('one').projects();
    const aliased = backend('one', [], [{ ...setup, aliases: ['Start'] } as Project]);
    const lookup = new Lookup([backend('zero', [], []), aliased]);
    for (const name of ['setup', 'START'])
      expect(await lookup.project(name)).toMatchObject({ backend: aliased, project: { name: 'Setup' } });
  });

  it('that are not there are NOT_FOUND, with those that are', async () => {
    await expect(new Lookup([backend('one')]).project('nowhere')).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: 'There is no project "nowhere". There are: Setup, Site.',
      details: { field: 'project', projects: ['Setup', 'Site'] },
    });
    await expect(new Lookup([backend('one', [], [])]).project('nowhere')).rejects.toMatchObject({
      message: expect.stringContaining('fleet init'),
    });
  });
});

describe('a free name', () => {
  it('is one that no agent of another backend has', async () => {
    const [one, two] = [backend('one', ['sony']), backend('two')];
    const lookup = new Lookup([one, two]);
    await lookup.checkFree('sony', one);
    await lookup.checkFree('kiwi', two);
    await expect(lookup.checkFree('sony', two)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('"sony" already, on the backend "one"'),
      details: { field: 'name', reason: 'name_taken' },
    });
  });
});

describe('a role', () => {
  const project = { name: 'Setup' } as Project;
  const roles = [roleCalled('coder', false), roleCalled('writer', true)];

  it('is the one that was asked for, or the default', () => {
    expect(roleOf(roles, project, undefined).name).toBe('writer');
    expect(roleOf(roles, project, 'CODER').name).toBe('coder');
  });

  it('that is not there is refused, with those that are', () => {
    expect(() => roleOf(roles, project, 'nobody')).toThrow(
      expect.objectContaining({
        code: 'NOT_FOUND',
        message: 'The project "Setup" has no role "nobody". There are: coder, writer.',
        details: { field: 'role', roles: ['coder', 'writer'] },
      }),
    );
    expect(() => roleOf(roles.slice(0, 1), project, undefined)).toThrow(
      expect.objectContaining({
        code: 'INVALID_INPUT',
        message: 'The project "Setup" has no default role; give a role. There are: coder.',
      }),
    );
  });
});

function roleCalled(name: string, isDefault: boolean): Role {
  return { id: name, name, display_name: name, description: '', project_id: 'p', default: isDefault };
}

function backend(name: string, agents: readonly string[] = [], projects?: readonly Project[]): Backend {
  const change = projects === undefined ? { name } : { name, projects: async () => projects };
  const made = fixedFleet(change).backend;
  for (const agent of agents) made.addAgent(agent);
  return made;
}

function broken(name: string, failure: Error = UNAVAILABLE): Backend {
  const fails = (): Promise<never> => Promise.reject(failure);
  return fixedFleet({ name, list: fails, projects: fails }).backend;
}
