import { beforeAll, describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../src/operations/table.ts';
import { agentOf, agentsOf, failure, idleAgent, type Answer } from '../support/fleets/fleet-under-test.ts';
import type { Subject } from './subject.ts';

const LONGEST = 'abcdefghij-klmnopqrst-UVWXYZ-012';
const BAD = ['', ' ', '-a', 'a-', 'a--b', 'a_b', 'a b', 'a.b', 'ä', 'a/b', `${LONGEST}3`];

/** What else the operations that take an agent's name need. */
const OTHERS: Readonly<Record<string, Answer>> = {
  start_agent_task: { task_description: 'x' },
  add_review_comment: { path: 'x', line: 1, text: 'x' },
  remove_review_comment: { id: 'x' },
  send_review: { message: 'x' },
  fork_agent: { task: 'x' },
  set_agent_metadata: { key: 'fleet_mcp_note', value: 'x' },
};

/** What every backend promises of agents' names. */
export function namesContract(subject: Subject): void {
  describe('names', () => {
    const { ask } = subject;
    const named = OPERATIONS.filter(
      ({ input, scopes }) => 'agent_name' in input.shape && scopes.some((scope) => scope !== 'self'),
    ).map(({ name }) => name);

    beforeAll(() => idleAgent(ask, LONGEST));

    it('takes a name of 1 to 32 letters, digits and single hyphens everywhere, and no other [AGENT-name-format]', async () => {
      expect(LONGEST).toHaveLength(32);
      expect(named.length).toBeGreaterThanOrEqual(9);
      for (const operation of named) {
        for (const agent_name of BAD) {
          const error = await failure(ask(operation, { agent_name, ...OTHERS[operation] }));
          expect(error.code, `${operation} ${agent_name}`).toBe('INVALID_INPUT');
          expect(error.details.field).toBe('agent_name');
        }
        for (const agent_name of ['z', `${LONGEST.slice(0, 31)}9`, '0-0-0']) {
          const error = await failure(ask(operation, { agent_name, ...OTHERS[operation] }));
          expect(error.code, `${operation} ${agent_name}`).toBe('NOT_FOUND');
        }
      }
      for (const name of BAD) {
        const error = await failure(ask('create_agent', { project: 'Setup', task: 'x', name }));
        expect(error, name).toMatchObject({ code: 'INVALID_INPUT', details: { field: 'name' } });
      }
      expect((await agentOf(ask, LONGEST)).name).toBe(LONGEST);
    });

    it('says NOT_FOUND of a name that nobody has, and quotes it [T-agent-not-found]', async () => {
      const operations = [
        'show_agent',
        'delete_agent',
        'restart_agent',
        'start_agent_task',
        'cancel_agent_task',
        'show_agent_task_history',
        'show_agent_log',
      ];
      expect(named).toEqual(expect.arrayContaining(operations));
      for (const operation of named) {
        const error = await failure(ask(operation, { agent_name: 'Nobody-1', ...OTHERS[operation] }));
        expect(error.code, operation).toBe('NOT_FOUND');
        expect(error.message, operation).toContain('"Nobody-1"');
      }
    });

    it('finds an agent in any spelling and refuses a second with it [T-create_agent-conflict]', async () => {
      // What git says of the branch is looked up beside all this.
      const { git: _before, ...before } = await agentOf(ask, LONGEST.toLowerCase());
      const taken = LONGEST.toUpperCase();
      const error = await failure(ask('create_agent', { project: 'DataOne', task: 'mine now', name: taken }));
      expect(error).toMatchObject({ code: 'CONFLICT', details: { field: 'name' } });
      expect(error.message).toContain(JSON.stringify(taken));
      const { git: _after, ...after } = await agentOf(ask, LONGEST);
      expect(after).toEqual(before);
      const spelled = (await agentsOf(ask)).filter(
        ({ name }) => name.toLowerCase() === LONGEST.toLowerCase(),
      );
      expect(spelled.map(({ name }) => name)).toEqual([LONGEST]);
    });
  });
}
