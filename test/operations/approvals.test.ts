import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Approval, Question } from '../../src/domain/approvals/approval.ts';
import { FleetError } from '../../src/domain/values/errors.ts';
import {
  agentOf,
  AI,
  askAs,
  HUMAN,
  idleAgent,
  until,
  waitIdle,
  type Ask,
  type FleetUnderTest,
} from '../support/fleets/fleet-under-test.ts';
import { folderFleet } from '../support/fleets/folder-backend.ts';
import { script } from '../support/script.ts';

const PERMISSION: Question = {
  kind: 'permission',
  tool: 'Bash: npm publish',
  input: { command: 'npm publish', cwd: '/somewhere' },
  options: [
    { id: 'once', name: 'Allow', decision: 'allow' },
    { id: 'always', name: 'Always allow', decision: 'allow' },
    { id: 'no', name: 'Reject', decision: 'deny' },
  ],
};

let fleet: FleetUnderTest;
let ask: Ask;
beforeAll(async () => {
  fleet = folderFleet();
  ask = askAs(fleet.fleet);
  await Promise.all(['sony', 'papi'].map((name) => idleAgent(ask, name)));
});
afterAll(() => fleet[Symbol.asyncDispose]());

describe('a question of an agent', () => {
  it('makes it need attention with what it wants, until the first answer [AGENT-attention-question, OP-approvals-list, OP-approvals-respond]', async () => {
    const question = await asked('sony');
    expect(question).toMatchObject({ ...PERMISSION, agent_name: 'sony', asked_by: 'agent:sony' });
    expect(Date.parse(question.expires_at ?? '')).toBeGreaterThan(Date.parse(question.asked_at));
    expect(await agentOf(ask, 'sony')).toMatchObject({ status: 'busy', needs_attention: true, stuck: false });
    expect((await agentOf(ask, 'sony')).status_reason).toContain('asks for permission: Bash: npm publish');
    const answered = await ask('respond_approval', { id: question.id, decision: 'allow', note: 'fine' });
    expect(answered).toEqual({ id: question.id, decision: 'allow', answered_by: 'user:tester' });
    await waitIdle(ask, 'sony');
    expect(await said('sony')).toEqual({ decision: 'allow', option: 'once', answer: null, note: 'fine' });
    expect(await agentOf(ask, 'sony')).toMatchObject({ needs_attention: false });
    expect(await open()).toEqual([]);
    await expect(ask('respond_approval', { id: question.id, decision: 'deny' })).rejects.toMatchObject({
      code: 'CONFLICT',
      details: { reason: 'answered_already' },
    });
  });

  it('takes one of its options, and no other', async () => {
    const { id } = await asked('sony');
    const wrong = (input: object) =>
      ask('respond_approval', { id, ...input }).catch((error: unknown) => error);
    expect(await wrong({ decision: 'allow', option: 'never' })).toMatchObject({
      code: 'INVALID_INPUT',
      details: { field: 'option' },
    });
    expect(await wrong({ decision: 'allow', option: 'no' })).toMatchObject({ code: 'INVALID_INPUT' });
    await ask('respond_approval', { id, decision: 'allow', option: 'always' });
    await waitIdle(ask, 'sony');
    expect(await said('sony')).toMatchObject({ decision: 'allow', option: 'always' });
  });

  it('is answered by one of all who answer at once [OP-approvals-first-wins]', async () => {
    const { id } = await asked('sony');
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        ask('respond_approval', { id, decision: index % 2 === 0 ? 'allow' : 'deny' }).then(
          () => 'ok',
          (thrown: unknown) => (thrown instanceof FleetError ? thrown.code : String(thrown)),
        ),
      ),
    );
    expect(outcomes.toSorted()).toEqual([...Array<string>(7).fill('CONFLICT'), 'ok']);
    await waitIdle(ask, 'sony');
  });

  it('is not for an agent to answer, nor for a client without the right [OP-approvals-not-self, OP-scope-approve]', async () => {
    const { id } = await asked('sony');
    const self = askAs(fleet.fleet, {
      principal: { kind: 'agent', name: 'sony' },
      door: 'self',
      source: 'agent',
      scopes: new Set(['self']),
      self: { agent_name: 'sony' },
    });
    for (const other of [self, askAs(fleet.fleet, AI)])
      await expect(other('respond_approval', { id, decision: 'allow' })).rejects.toMatchObject({
        code: 'FORBIDDEN',
      });
    const impostor = askAs(fleet.fleet, { ...HUMAN, principal: { kind: 'agent', name: 'sony' } });
    await expect(impostor('respond_approval', { id, decision: 'allow' })).rejects.toMatchObject({
      code: 'FORBIDDEN',
      details: { reason: 'asked_by_you' },
    });
    expect((await open()).map((each) => each.id)).toEqual([id]);
    await ask('respond_approval', { id, decision: 'deny' });
    await waitIdle(ask, 'sony');
    expect(await said('sony')).toMatchObject({ decision: 'deny', option: 'no' });
  });

  it('closes when its task is canceled', async () => {
    const { id } = await asked('papi');
    await ask('cancel_agent_task', { agent_name: 'papi' });
    await waitIdle(ask, 'papi');
    expect(await open()).toEqual([]);
    await expect(ask('respond_approval', { id, decision: 'allow' })).rejects.toMatchObject({
      code: 'CONFLICT',
    });
  });

  it('can be seen and left open', async () => {
    const { id } = await asked('papi');
    await ask('acknowledge_agent', { agent_name: 'papi' });
    expect(await agentOf(ask, 'papi')).toMatchObject({ status: 'busy', needs_attention: false });
    expect((await open('papi')).map((each) => each.id)).toEqual([id]);
    await ask('respond_approval', { id, decision: 'allow' });
    await waitIdle(ask, 'papi');
  });

  it('is not there under an id that nobody has', async () => {
    for (const id of ['nonsense', 'ffffffff-1', 'call-ffffffff', `${(await asked('papi')).id}9`])
      await expect(ask('respond_approval', { id, decision: 'allow' })).rejects.toMatchObject({
        code: 'NOT_FOUND',
      });
  });
});

/** Gives an agent a task that asks; answers with the question once it is open. */
async function asked(agent_name: string): Promise<Approval> {
  await ask('start_agent_task', { agent_name, task_description: script({ ask: PERMISSION }) });
  const [question] = await until(
    () => open(agent_name),
    (found) => found.length > 0,
  );
  if (question === undefined) throw new Error('nothing was asked');
  return question;
}

async function open(agent_name?: string): Promise<Approval[]> {
  const answer = await ask('list_approvals', agent_name === undefined ? {} : { agent_name });
  return answer['approvals'] as Approval[];
}

/** What the agent heard, which it prints. */
async function said(agent_name: string): Promise<unknown> {
  const { logs } = await ask('show_agent_log', { agent_name, page_size: 5 });
  const line = (logs as { type: string; message: string }[]).find(({ type }) => type === 'output');
  return JSON.parse(line?.message ?? 'null');
}
