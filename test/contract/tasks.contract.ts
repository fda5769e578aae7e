import { existsSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  agentOf,
  failure,
  history,
  idleAgent,
  logOf,
  signalFile,
  until,
  waitIdle,
  type Answer,
} from '../support/fleets/fleet-under-test.ts';
import { script } from '../support/script.ts';
import type { Subject } from './subject.ts';

/** What every backend promises of tasks. */
export function tasksContract(subject: Subject): void {
  describe('tasks', () => {
    const { ask } = subject;
    const file = (name: string): string => signalFile(subject.fleet(), name);
    const start = (task_description: string, more: Answer = {}): Promise<Answer> =>
      ask('start_agent_task', { agent_name: 'worker', task_description, ...more });
    const newest = async (): Promise<Answer> => (await history(ask, 'worker'))[0] ?? {};

    beforeAll(async () => {
      await Promise.all([
        idleAgent(ask, 'worker'),
        idleAgent(ask, 'neighbour', { task: 'of the neighbour' }),
      ]);
    });

    it('makes an idle agent busy and begins the task [US2-1, FR-008]', async () => {
      const go = file('go-1');
      const begun = file('begun-1');
      const answer = await start(script({ write: begun }, { hold: go }));
      expect(answer['agent_status']).toBe('busy');
      expect(await agentOf(ask, 'worker')).toMatchObject({ status: 'busy' });
      await until(async () => existsSync(begun), Boolean);
      expect(await agentOf(ask, 'worker')).toMatchObject({ status: 'busy' });
      writeFileSync(go, '');
      await waitIdle(ask, 'worker');
    });

    it('answers the task that was accepted [T-start_agent_task-output]', async () => {
      const answer = await start('say hello');
      expect(answer).toMatchObject({
        agent_name: 'worker',
        task: { id: expect.stringMatching(/\S/), message: 'say hello' },
        message: expect.stringContaining('worker'),
      });
      const { state, created_at } = answer['task'] as Answer;
      expect(['queued', 'running', 'complete']).toContain(state);
      expect(['busy', 'idle']).toContain(answer['agent_status']);
      await waitIdle(ask, 'worker');
      expect(await newest()).toMatchObject({ id: (answer['task'] as Answer)['id'], created_at });
    });

    it('refuses a second task with CONFLICT while it is busy, and goes on [T-start_agent_task-busy]', async () => {
      const go = file('go-2');
      const after = file('after-2');
      const first = await start(script({ hold: go }, { write: after }));
      const error = await failure(start('another'));
      expect(error.code).toBe('CONFLICT');
      expect(await agentOf(ask, 'worker')).toMatchObject({ status: 'busy', queue_length: 0 });
      writeFileSync(go, '');
      await waitIdle(ask, 'worker');
      expect(existsSync(after)).toBe(true);
      const rows = await history(ask, 'worker');
      expect(rows[0]).toMatchObject({ id: (first['task'] as Answer)['id'], state: 'complete' });
      expect(rows.map((row) => row['message'])).not.toContain('another');
    });

    it('becomes idle by itself when the task is done [US2-2]', async () => {
      const go = file('go-3');
      const { task } = await start(script({ hold: go }));
      expect(await agentOf(ask, 'worker')).toMatchObject({ status: 'busy' });
      writeFileSync(go, '');
      await until(
        () => agentOf(ask, 'worker'),
        ({ status }) => status === 'idle',
      );
      expect(await newest()).toMatchObject({ id: (task as Answer)['id'], state: 'complete' });
    });

    it('refuses an empty task and records nothing [T-start_agent_task-empty]', async () => {
      const before = await history(ask, 'worker');
      for (const text of ['', ' ', '\n\t ']) {
        const error = await failure(start(text));
        expect(error).toMatchObject({ code: 'INVALID_INPUT', details: { field: 'task_description' } });
      }
      expect(await agentOf(ask, 'worker')).toMatchObject({ status: 'idle' });
      expect(await history(ask, 'worker')).toEqual(before);
    });

    it('cancels the running task and says so [T-cancel_agent_task-output, FR-013]', async () => {
      const begun = file('begun-4');
      const after = file('after-4');
      const { task } = await start(script({ write: begun }, { hold: file('never') }, { write: after }));
      await until(async () => existsSync(begun), Boolean);
      const answer = await ask('cancel_agent_task', { agent_name: 'worker' });
      const { id, message, created_at } = task as Answer;
      expect(answer).toMatchObject({
        agent_name: 'worker',
        message: expect.stringContaining('worker'),
        interrupt_sent: true,
        task: { id, message, created_at, state: 'canceled' },
        agent_status: 'idle',
      });
      expect(await agentOf(ask, 'worker')).toMatchObject({ status: 'idle', needs_attention: false });
      expect(await newest()).toMatchObject({ id, state: 'canceled' });
      writeFileSync(file('never'), '');
      expect(existsSync(after)).toBe(false);
    });

    it('has nothing to cancel while it runs nothing [T-cancel_agent_task-not-busy]', async () => {
      const before = await history(ask, 'worker');
      const error = await failure(ask('cancel_agent_task', { agent_name: 'worker' }));
      expect(error.code).toBe('INVALID_INPUT');
      expect(await history(ask, 'worker')).toEqual(before);
    });

    it('asks for attention for a task that failed, and for no other [TASK-attention-boolean]', async () => {
      await start(script({ say: 'oh' }, { exit: 3 }));
      await waitIdle(ask, 'worker');
      expect(await newest()).toMatchObject({ state: 'failed', needs_user_attention: true });
      await start('better now');
      await waitIdle(ask, 'worker');
      expect(await newest()).toMatchObject({ state: 'complete', needs_user_attention: false });
      for (const { state, needs_user_attention } of await history(ask, 'worker')) {
        expect(needs_user_attention).toBe(state === 'failed');
      }
    });

    it('is idle however its task ended, and only when none is queued [FR-009]', async () => {
      const go = file('go-5');
      const ends: Record<string, () => Promise<unknown>> = {
        complete: async () => writeFileSync(go, ''),
        failed: async () => writeFileSync(file('go-fail'), ''),
        canceled: () => ask('cancel_agent_task', { agent_name: 'worker' }),
        interrupted: () => ask('restart_agent', { agent_name: 'worker' }),
      };
      for (const [state, end] of Object.entries(ends)) {
        const failing = state === 'failed';
        const hold = failing ? file('go-fail') : state === 'complete' ? go : file(`never-${state}`);
        await start(script({ hold }, { exit: failing ? 1 : 0 }));
        expect(await agentOf(ask, 'worker')).toMatchObject({ status: 'busy' });
        await end();
        await waitIdle(ask, 'worker');
        expect(await agentOf(ask, 'worker')).toMatchObject({ status: 'idle', current_task: null });
        expect(await newest()).toMatchObject({ state });
      }
      const [first, second] = [file('go-6'), file('go-7')];
      await start(script({ hold: first }));
      await start(script({ hold: second }), { when_busy: 'queue' });
      writeFileSync(first, '');
      await until(
        () => history(ask, 'worker'),
        ([, before]) => before?.['state'] === 'complete',
      );
      expect(await agentOf(ask, 'worker')).toMatchObject({ status: 'busy' });
      writeFileSync(second, '');
      await waitIdle(ask, 'worker');
      expect(await agentOf(ask, 'worker')).toMatchObject({ status: 'idle', queue_length: 0 });
    });

    it('says what it printed in the log [CMD-output]', async () => {
      await start(script({ say: 'hello' }, { complain: 'ouch' }));
      await waitIdle(ask, 'worker');
      const log = await logOf(ask, 'worker');
      expect(log).toContainEqual(
        expect.objectContaining({ message: 'hello', level: 'INFO', type: 'output' }),
      );
      expect(log).toContainEqual(expect.objectContaining({ message: 'ouch', level: 'WARN' }));
    });

    it('keeps the tasks of each agent apart [TASK-one-agent]', async () => {
      const { task } = await start('of the worker');
      await waitIdle(ask, 'worker');
      const [mine, theirs] = [await history(ask, 'worker'), await history(ask, 'neighbour')];
      expect(theirs.map((row) => row['message'])).toEqual(['of the neighbour']);
      expect(mine[0]?.['id']).toBe((task as Answer)['id']);
      const ids = new Set(mine.map((row) => row['id']));
      expect(theirs.filter((row) => ids.has(row['id']))).toEqual([]);
      expect(mine.map((row) => row['message'])).not.toContain('of the neighbour');
    });
  });
}
