import { describe, expect, it } from 'vitest';
import {
  agentOf,
  checkedAgent,
  failure,
  idleAgent,
  type Answer,
} from '../support/fleets/fleet-under-test.ts';
import type { Subject } from './subject.ts';

const SPEC = 'checks: ["true"]';

/** What every backend promises of checks: to run them, or to say that it does not. */
export function checksContract({ ask, fleet }: Subject): void {
  describe('checks', () => {
    it('run on the work of an agent, and nobody claims it for an agent without a repository [OP-check_agent, OP-check_agent-local]', async () => {
      if (!('repository' in fleet())) {
        await idleAgent(ask, 'unchecked', { spec: SPEC });
        for (const operation of ['check_agent', 'show_agent_checks'])
          expect(await failure(ask(operation, { agent_name: 'unchecked' }))).toMatchObject({
            code: 'INVALID_INPUT',
            details: { reason: expect.stringMatching(/^(not_local|no_repository)$/) as string },
          });
        expect((await agentOf(ask, 'unchecked')).checks?.state ?? 'not_run').toBe('not_run');
        return;
      }
      const { checks } = await checkedAgent(ask, 'checked', { spec: SPEC });
      const answer: Answer = await ask('check_agent', { agent_name: 'checked' });
      expect(answer).toMatchObject({
        agent_name: 'checked',
        commit: checks?.commit,
        state: 'passing',
        checks: [{ name: 'true', state: 'passing', exit_code: 0, output: '' }],
      });
      expect(await ask('show_agent_checks', { agent_name: 'checked' })).toEqual(answer);
    });
  });
}
