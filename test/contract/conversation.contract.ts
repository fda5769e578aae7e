import { beforeAll, describe, expect, it } from 'vitest';
import { failure, idleAgent, waitIdle, type Answer } from '../support/fleets/fleet-under-test.ts';
import { script } from '../support/script.ts';
import type { Subject } from './subject.ts';

const agent_name = 'speaker';
const LINES = Array.from({ length: 7 }, (_, index) => `line ${index}`);

/** What every backend promises of the conversation. */
export function conversationContract(subject: Subject): void {
  describe('conversation', () => {
    const { ask } = subject;
    const task = script(...LINES.map((say) => ({ say })), { report: 'half done' }, { complain: 'careful' });
    const page = (input: Answer = {}): Promise<Answer> =>
      ask('show_agent_conversation', { agent_name, ...input });
    const idsOf = (answers: readonly Answer[]): unknown[] =>
      answers.flatMap((answer) => (answer['entries'] as Answer[]).map((entry) => entry['id']));

    beforeAll(async () => {
      await idleAgent(ask, agent_name, { task: 'zeroth' });
      await ask('start_agent_task', { agent_name, task_description: task });
      await waitIdle(ask, agent_name);
    });

    it('shows the task, the lines that the agent printed, its report and the result in order [OP-conversation-command]', async () => {
      const { entries, has_newer } = await page({ limit: 500 });
      const from = (entries as Answer[]).findIndex(({ kind, text }) => kind === 'task' && text === task);
      const shown = (entries as Answer[]).slice(from).filter(({ kind }) => kind !== 'note');
      expect(shown.filter(({ kind }) => kind !== 'report')).toMatchObject([
        { kind: 'task', text: task },
        ...LINES.map((text) => ({ kind: 'output', stream: 'stdout', text, truncated: false })),
        { kind: 'output', stream: 'stderr', text: 'careful' },
        { kind: 'task_end', state: 'complete', result: expect.stringContaining('careful') },
      ]);
      expect(shown).toContainEqual(expect.objectContaining({ kind: 'report', text: 'half done' }));
      expect(has_newer).toBe(false);
    });

    it('pages both ways by cursor, each entry once [OP-conversation-cursor]', async () => {
      const whole = idsOf([await page({ limit: 500 })]);
      const back: Answer[] = [];
      for (let cursor: unknown; cursor !== null; cursor = back[0]?.['older'])
        back.unshift(await page({ limit: 3, ...(cursor === undefined ? {} : { cursor }) }));
      expect(idsOf(back)).toEqual(whole);
      const forth = [await page({ direction: 'newer', limit: 4 })];
      while (forth.at(-1)?.['has_newer'] === true)
        forth.push(await page({ direction: 'newer', limit: 4, cursor: forth.at(-1)?.['newer'] }));
      expect(idsOf(forth)).toEqual(whole);
      const { newer } = await page();
      expect(await page({ cursor: newer, direction: 'newer' })).toMatchObject({ entries: [], newer });
    });

    it('refuses a cursor that is none', async () => {
      const error = await failure(page({ cursor: 'yesterday' }));
      expect(error).toMatchObject({ code: 'INVALID_INPUT', details: { field: 'cursor' } });
    });
  });
}
