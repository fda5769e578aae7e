import { describe, expect, it } from 'vitest';
import { failure, idleAgent } from '../support/fleets/fleet-under-test.ts';
import type { Subject } from './subject.ts';

/** What every backend promises of publishing: to do it where there is a repository, or to say that there is none. */
export function publishContract({ ask, fleet }: Subject): void {
  describe('publishing', () => {
    it('is refused without a remote, and without a repository [OP-publish_agent-local]', async () => {
      await idleAgent(ask, 'unpublished');
      const reason =
        'repository' in fleet() ? 'no_remote' : expect.stringMatching(/^(not_local|no_repository)$/);
      expect(await failure(ask('publish_agent', { agent_name: 'unpublished' }))).toMatchObject({
        code: 'INVALID_INPUT',
        details: { field: 'agent_name', reason },
      });
    });
  });
}
