import { describe, expect, it } from 'vitest';
import { fixedFleet, MAKING, NOW, TESTER } from '../../../test/support/fleets/fixed-fleet.ts';
import type { CreateRequest } from '../../backends/backend.ts';
import { FleetError } from '../../domain/values/errors.ts';
import { Fleet } from '../fleet.ts';

describe('create_agent', () => {
  it('gives the backend the request with ids, project and role', async () => {
    const { fleet, requests } = recordingFleet();
    const agent = await fleet.createAgent(
      {
        project: 'setup',
        task: 'do it',
        name: 'sony',
        role: 'OPERATOR',
        spec: 'a spec',
        base: 'main',
        branch: 'topic',
        pull_request_url: 'https://forge.test/a/b/pulls/1',
      },
      MAKING,
    );
    expect(agent.name).toBe('sony');
    expect(requests).toEqual([
      {
        workspace_id: 'id-of-workspace',
        task_id: 'id-of-task',
        name: 'sony',
        project: expect.objectContaining({ name: 'Setup' }),
        role: expect.objectContaining({ name: 'operator' }),
        task: 'do it',
        spec: 'a spec',
        base: 'main',
        branch: 'topic',
        pull_request_url: 'https://forge.test/a/b/pulls/1',
        caller: TESTER,
      },
    ]);
  });

  it('takes the spec as the first task, the default role and a free name where nothing is said', async () => {
    const { fleet, requests } = recordingFleet();
    const { name } = await fleet.createAgent({ project: 'Setup', spec: 'a spec' }, MAKING);
    expect(name).toMatch(/^[a-z]+$/);
    expect(requests).toEqual([
      {
        workspace_id: 'id-of-workspace',
        task_id: 'id-of-task',
        name,
        project: expect.objectContaining({ name: 'Setup' }),
        role: expect.objectContaining({ name: 'coder' }),
        task: 'a spec',
        spec: 'a spec',
        caller: TESTER,
      },
    ]);
    for (const key of ['base', 'branch', 'pull_request_url']) expect(requests[0]).not.toHaveProperty(key);
    await fleet.createAgent({ project: 'Setup', task: 'only a task' }, MAKING);
    expect(requests[1]).toMatchObject({ task: 'only a task', spec: null });
  });

  it.each([
    ['neither task nor spec', {}, 'INVALID_INPUT', 'task'],
    ['a bad name', { task: 'do it', name: 'a b' }, 'INVALID_INPUT', 'name'],
    ['a bad spec', { task: 'do it', spec: 'objective: {}' }, 'INVALID_INPUT', 'spec'],
    ['an unknown role', { task: 'do it', role: 'nobody' }, 'NOT_FOUND', 'role'],
    ['an unknown project', { task: 'do it', project: 'nowhere' }, 'NOT_FOUND', 'project'],
  ])('refuses %s before anything is made', async (_, input, code, field) => {
    const { fleet, requests } = recordingFleet();
    await expect(fleet.createAgent({ project: 'Setup', ...input }, MAKING)).rejects.toMatchObject({
      code,
      details: { field },
    });
    expect(requests).toEqual([]);
  });

  it('refuses a name that an agent of another backend has', async () => {
    const { backend } = recordingFleet();
    const { backend: other } = fixedFleet({ name: 'other', projects: async () => [] });
    other.addAgent('sony');
    const fleet = new Fleet({ backends: [backend, other], clock: { now: () => NOW } });
    await expect(
      fleet.createAgent({ project: 'Setup', task: 'do it', name: 'Sony' }, MAKING),
    ).rejects.toMatchObject({ code: 'CONFLICT', details: { field: 'name', reason: 'name_taken' } });
  });

  it('tries other names, twenty at most, while those that it chose are taken', async () => {
    const lucky = recordingFleet(({ length }) => (length < 20 ? nameTaken() : undefined));
    await lucky.fleet.createAgent({ project: 'Setup', task: 'do it' }, MAKING);
    expect(lucky.requests).toHaveLength(20);

    const unlucky = recordingFleet(nameTaken);
    await expect(
      unlucky.fleet.createAgent({ project: 'Setup', task: 'do it' }, MAKING),
    ).rejects.toMatchObject({ details: { reason: 'name_taken' } });
    expect(unlucky.requests).toHaveLength(20);
  });

  it.each([
    ['a name that the caller chose', nameTaken, 'sony'],
    ['another conflict', () => new FleetError('CONFLICT', 'full', { reason: 'full' }), undefined],
    ['a defect', () => new TypeError('a defect'), undefined],
  ])('does not try again after %s failed', async (_, failure, name) => {
    const { fleet, requests } = recordingFleet(failure);
    await expect(fleet.createAgent({ project: 'Setup', task: 'do it', name }, MAKING)).rejects.toEqual(
      failure(),
    );
    expect(requests).toHaveLength(1);
  });
});

function nameTaken(): FleetError {
  return new FleetError('CONFLICT', 'taken', { reason: 'name_taken', field: 'name' });
}

/** A fleet that writes down the requests, and fails them as a test says. */
function recordingFleet(
  failure: (requests: readonly CreateRequest[]) => Error | undefined = () => undefined,
) {
  const requests: CreateRequest[] = [];
  const { fleet, backend } = fixedFleet({
    create: async (request) => {
      requests.push(request);
      const thrown = failure(requests);
      if (thrown !== undefined) throw thrown;
      return backend.addAgent(request.name);
    },
  });
  return { fleet, backend, requests };
}
