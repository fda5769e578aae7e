import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConversationEntry } from '../../src/domain/conversation/conversation-entry.ts';
import { askAs, idleAgent, waitIdle, type Ask } from '../support/fleets/fleet-under-test.ts';
import type { LocalFleet } from '../support/fleets/local-fleet.ts';
import { acpFleet, questionOf, steps } from './acp-fleet.ts';

const agent_name = 'sony';
let fleet: LocalFleet;
let ask: Ask;
/** The cursor after the first task. */
let before: unknown;

beforeAll(async () => {
  fleet = acpFleet();
  ask = askAs(fleet.fleet);
  await idleAgent(ask, agent_name, { task: steps({ say: 'hello' }) });
  before = (await ask('show_agent_conversation', { agent_name }))['newer'];
});
afterAll(() => fleet[Symbol.asyncDispose]());

async function newer(): Promise<readonly ConversationEntry[]> {
  const answer = await ask('show_agent_conversation', { agent_name, cursor: before, direction: 'newer' });
  before = answer['newer'];
  return answer['entries'] as ConversationEntry[];
}

describe('the conversation with an agent that speaks ACP', () => {
  it('has its messages, tool calls with input, output and diffs, plans and the result, in order [OP-show_agent_conversation]', async () => {
    const task_description = steps(
      { think: 'hm' },
      { plan: ['one', 'two'] },
      { run: 'echo from the shell', free: true },
      { write: 'new.txt', before: 'old words', content: 'new words', free: true },
      { say: 'all done' },
    );
    await ask('start_agent_task', { agent_name, task_description });
    await waitIdle(ask, agent_name);
    expect(await newer()).toMatchObject([
      { kind: 'task', text: task_description },
      { kind: 'message', from: 'thought', text: 'hm' },
      {
        kind: 'plan',
        entries: [{ content: 'one', status: 'pending', priority: 'medium' }, { content: 'two' }],
      },
      {
        kind: 'tool_call',
        tool: 'Bash',
        title: 'Bash: echo from the shell',
        tool_kind: 'other',
        status: 'completed',
        input: { command: 'echo from the shell' },
        output: 'from the shell\n',
        diffs: [],
      },
      {
        kind: 'tool_call',
        tool: 'Write',
        status: 'completed',
        input: { file_path: expect.stringMatching(/new\.txt$/) },
        output: 'wrote new.txt',
        diffs: [{ path: expect.stringMatching(/new\.txt$/), old_text: 'old words', new_text: 'new words' }],
      },
      { kind: 'message', from: 'agent', text: 'all done' },
      { kind: 'task_end', state: 'complete', result: 'all done' },
    ]);
    expect(await newer()).toEqual([]);
  });

  it('gives a permission and its call again when they have changed', async () => {
    await ask('start_agent_task', { agent_name, task_description: steps({ write: 'asked.txt' }) });
    const { id } = await questionOf(ask, agent_name);
    const asked = (await newer()).find(({ kind }) => kind === 'permission');
    expect(asked).toMatchObject({ approval_id: id, options: [{ id: 'allow' }, {}, {}], answer: null });
    await ask('respond_approval', { id, decision: 'deny', note: 'not there' });
    await waitIdle(ask, agent_name);
    const changed = await newer();
    expect(changed.find((entry) => entry.id === asked?.id)).toMatchObject({
      at: asked?.at,
      answer: { decision: 'deny', note: 'not there', by: 'user:tester' },
      input: expect.objectContaining({ tool: 'Write' }),
    });
    const [call] = changed.filter(({ kind }) => kind === 'tool_call');
    expect(call).toMatchObject({
      status: 'failed',
      output: 'refused',
      input: { file_path: expect.stringMatching(/asked\.txt$/) },
    });
  });

  it('is read where it lies when the agent is stopped', async () => {
    await ask('stop_agent', { agent_name });
    const { entries } = await ask('show_agent_conversation', { agent_name, limit: 500 });
    expect(entries).toContainEqual(expect.objectContaining({ kind: 'message', text: 'hello' }));
  });
});
