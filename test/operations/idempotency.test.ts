import { describe, expect } from 'vitest';
import { callFleet } from '../support/fleets/fleet-process.ts';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import {
  agentsOf,
  AI,
  askAs,
  failure,
  history,
  idleAgent,
  waitIdle,
} from '../support/fleets/fleet-under-test.ts';
import { heldTask } from './held-task.ts';

const it = fleetTest();
it.beforeAll(async ({ ask }) => {
  await idleAgent(ask, 'sony');
});

describe('a call with an idempotency key', () => {
  it('gives its first answer when it is repeated, and does nothing again [OP-idempotent-same]', async ({
    ask,
  }) => {
    const create = { project: 'Setup', task: 'hello', idempotency_key: 'make one' };
    const first = await ask('create_agent', create);
    expect(await ask('create_agent', create)).toEqual(first);
    expect((await agentsOf(ask)).length).toBe(2);

    const start = { agent_name: 'sony', task_description: 'once', idempotency_key: 'do one' };
    const task = await ask('start_agent_task', start);
    expect(await ask('start_agent_task', start)).toEqual(task);
    await waitIdle(ask, 'sony');
    expect(await ask('start_agent_task', start)).toEqual(task);
    expect((await history(ask, 'sony')).filter(({ message }) => message === 'once')).toHaveLength(1);

    const { name } = first['agent'] as { name: string };
    await ask('delete_agent', { agent_name: name });
    expect(await ask('create_agent', create)).toEqual(first);
    expect((await agentsOf(ask)).map((agent) => agent.name)).toEqual(['sony']);
  });

  it('is CONFLICT with another input, and changes nothing [OP-idempotent-other]', async ({ ask }) => {
    await ask('start_agent_task', { agent_name: 'sony', task_description: 'this', idempotency_key: 'k' });
    await waitIdle(ask, 'sony');
    for (const input of [{ task_description: 'that' }, { task_description: 'this', when_busy: 'queue' }]) {
      const error = await failure(
        ask('start_agent_task', { agent_name: 'sony', idempotency_key: 'k', ...input }),
      );
      expect(error.code).toBe('CONFLICT');
      expect(error.details.field).toBe('idempotency_key');
    }
    await ask('create_agent', { project: 'Setup', task: 'x', name: 'kate', idempotency_key: 'k' });
    const other = await failure(
      ask('create_agent', { project: 'Setup', task: 'y', name: 'kurt', idempotency_key: 'k' }),
    );
    expect(other.code).toBe('CONFLICT');
    expect((await history(ask, 'sony')).map(({ message }) => message)).not.toContain('that');
    expect((await agentsOf(ask)).map(({ name }) => name)).toEqual(['kate', 'sony']);
  });

  it('does its work once when it is made many times at once', async ({ ask }) => {
    const key = { idempotency_key: 'all at once' };
    const created = await Promise.all(
      Array.from({ length: 5 }, () =>
        ask('create_agent', { project: 'Setup', task: 'hi', name: 'lena', ...key }),
      ),
    );
    expect(new Set(created.map((answer) => JSON.stringify(answer))).size).toBe(1);
    await waitIdle(ask, 'lena');
    const started = await Promise.all(
      Array.from({ length: 5 }, () =>
        ask('start_agent_task', { agent_name: 'lena', task_description: 'hi again', ...key }),
      ),
    );
    expect(new Set(started.map((answer) => JSON.stringify(answer))).size).toBe(1);
    await waitIdle(ask, 'lena');
    expect((await history(ask, 'lena')).map(({ message }) => message)).toEqual(['hi again', 'hi']);
  });

  it('is the same key in another process, and another one for another principal', async ({ fleet, ask }) => {
    const input = { agent_name: 'sony', task_description: 'from a process', idempotency_key: 'p' };
    const first = await callFleet('start_agent_task', input, fleet.env);
    await waitIdle(ask, 'sony');
    expect(await callFleet('start_agent_task', input, fleet.env)).toEqual(first);
    expect(
      await callFleet('start_agent_task', { ...input, task_description: 'else' }, fleet.env),
    ).toMatchObject({
      error: { code: 'CONFLICT' },
    });
    await askAs(fleet.fleet, AI)('start_agent_task', { ...input, task_description: 'from an AI' });
    await waitIdle(ask, 'sony');
    const messages = (await history(ask, 'sony')).map(({ message }) => message);
    expect(messages.slice(0, 2)).toEqual(['from an AI', 'from a process']);
    expect(messages).not.toContain('else');
  });

  it('is done again when the first time failed', async ({ fleet, ask }) => {
    const held = await heldTask(ask, { directory: fleet.directory, agent_name: 'sony' });
    const input = { agent_name: 'sony', task_description: 'at last', idempotency_key: 'retry' };
    expect((await failure(ask('start_agent_task', input))).code).toBe('CONFLICT');
    held.release();
    await waitIdle(ask, 'sony');
    expect(await ask('start_agent_task', input)).toMatchObject({ task: { message: 'at last' } });
    await waitIdle(ask, 'sony');
    expect((await history(ask, 'sony'))[0]).toMatchObject({ message: 'at last', state: 'complete' });
  });
});
