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
} from '../support/fleet-under-test.ts';
import { script } from '../support/script.ts';
import type { Subject } from './subject.ts';

/** What every backend promises of tasks. */
export function tasksContract(subject: Subject): void {
  describe('tasks', () => {
    const { ask } = subject;
    const file = (name: string): string => signalFile(subject.fleet(), name);

    beforeAll(() => idleAgent(ask, 'worker'));

    it('makes an idle agent busy and begins the task [US2-1, FR-008]', async () => {
      const go = file('go-1');
      const begun = file('begun-1');
      const answer = await ask('start_agent_task', {
        agent_name: 'worker',
        task_description: script({ write: begun }, { hold: go }),
      });
      expect(answer['agent_status']).toBe('busy');
      expect(await agentOf(ask, 'worker')).toMatchObject({ status: 'busy' });
      await until(async () => existsSync(begun), Boolean);
      writeFileSync(go, '');
      await waitIdle(ask, 'worker');
    });

    it('refuses a second task with CONFLICT while it is busy [T-start_agent_task-busy]', async () => {
      const go = file('go-2');
      await ask('start_agent_task', { agent_name: 'worker', task_description: script({ hold: go }) });
      const error = await failure(
        ask('start_agent_task', { agent_name: 'worker', task_description: 'another' }),
      );
      expect(error.code).toBe('CONFLICT');
      writeFileSync(go, '');
      await waitIdle(ask, 'worker');
      expect((await history(ask, 'worker')).map((row) => row['message'])).not.toContain('another');
    });

    it('says what it printed in the log [CMD-output]', async () => {
      await ask('start_agent_task', {
        agent_name: 'worker',
        task_description: script({ say: 'hello' }, { complain: 'ouch' }),
      });
      await waitIdle(ask, 'worker');
      const log = await logOf(ask, 'worker');
      expect(log).toContainEqual(
        expect.objectContaining({ message: 'hello', level: 'INFO', type: 'output' }),
      );
      expect(log).toContainEqual(expect.objectContaining({ message: 'ouch', level: 'WARN' }));
    });
  });
}
