import { beforeAll, describe, expect, it } from 'vitest';
import { agentOf, failure, idleAgent, waitIdle, type Answer } from '../support/fleets/fleet-under-test.ts';
import { script } from '../support/script.ts';
import type { Subject } from './subject.ts';

const agent_name = 'witness';

/** What every backend promises of the timeline. */
export function timelineContract(subject: Subject): void {
  describe('timeline', () => {
    const { ask } = subject;
    const page = (input: Answer = {}): Promise<Answer> =>
      ask('show_agent_timeline', { agent_name, ...input });
    const factsOf = async (input: Answer = {}): Promise<Answer[]> => (await page(input))['facts'] as Answer[];

    beforeAll(async () => {
      await idleAgent(ask, agent_name, { task: 'zeroth' });
      await ask('start_agent_task', { agent_name, task_description: script({ exit: 3 }) });
      await waitIdle(ask, agent_name);
    });

    it('has each fact with the status that it led to, and the status now and then [OP-show_agent_timeline]', async () => {
      const answer = await page({ limit: 500 });
      const facts = answer['facts'] as Answer[];
      const { status, status_reason } = await agentOf(ask, agent_name);
      expect(answer['status']).toMatchObject({ status, status_reason, needs_attention: true });
      const seqs = facts.map(({ seq }) => Number(seq));
      expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
      expect(facts[0]).toMatchObject({ kind: 'agent.created' });
      const started = facts.findLast(({ kind }) => kind === 'task.started') ?? {};
      expect(started).toMatchObject({ status: 'busy', text: expect.stringMatching(/^task .* started$/) });
      const ended = facts.findLast(({ kind }) => kind === 'task.ended') ?? {};
      expect(ended).toMatchObject({ status: 'idle', needs_attention: true, data: { state: 'failed' } });
      const before = new Date(Date.parse(String(ended['at'])) - 1).toISOString();
      const then = await page({ at: before, limit: 500 });
      expect(then['at']).toBe(before);
      expect((then['facts'] as Answer[]).map(({ seq }) => seq)).not.toContain(ended['seq']);
      expect((await failure(page({ at: '2001-01-01T00:00:00.000Z' }))).details).toMatchObject({
        field: 'at',
      });
    });

    it('is paged by cursor both ways', async () => {
      const whole = await factsOf({ limit: 500 });
      const last = await page({ limit: 2 });
      expect(last).toMatchObject({ facts: whole.slice(-2), has_newer: false });
      expect(await factsOf({ limit: 2, cursor: last['older'] })).toEqual(whole.slice(-4, -2));
      const first = await page({ limit: 3, direction: 'newer' });
      expect(first).toMatchObject({ facts: whole.slice(0, 3), older: null, has_newer: true });
      expect(await factsOf({ limit: 500, direction: 'newer', cursor: first['newer'] })).toEqual(
        whole.slice(3),
      );
      expect((await failure(page({ cursor: 'yesterday' }))).details).toMatchObject({ field: 'cursor' });
    });
  });
}
