import { describe, expect, it } from 'vitest';
import { fixedFleet, TESTER } from '../../../test/support/fleets/fixed-fleet.ts';
import type { AnswerRequest, RunnerClient } from '../../runner/api/runner-client.ts';
import type { Approval, ApprovalAnswer } from '../../domain/approvals/approval.ts';
import type { Caller } from '../../domain/principal.ts';
import type { AgentState } from '../../domain/state.ts';
import type { CallApprovals } from './approvals.ts';

const ALLOW: ApprovalAnswer = { decision: 'allow', option: null, answer: null, note: null };
const BY = { principal: 'user:tester', door: 'cli' };
const ASKING: Partial<AgentState> = {
  approvals: [{ id: 'a-1', seq: 1, what: 'asks', asked_at: '', expires_at: null, seen: false }],
};

describe('pending approvals', () => {
  it('are those of agents that ask and of calls, oldest first', async () => {
    const { fleet, backend } = approvalsFleet({ open: () => [approval('call', 2)] });
    backend.addAgent('late', ASKING);
    backend.addAgent('early', ASKING);
    backend.addAgent('silent');
    expect((await fleet.approvals.list(undefined)).map(({ id }) => id)).toEqual([
      'of-early',
      'call',
      'of-late',
    ]);
    expect((await fleet.approvals.list('LATE')).map(({ id }) => id)).toEqual(['of-late']);
  });

  it('of calls are listed while no backend answers; without one that is an error', async () => {
    const failure = new Error('no answer');
    const asked = approvalsFleet({ open: () => [approval('call', 2)] });
    asked.backend.failure = failure;
    expect(await asked.fleet.approvals.list(undefined)).toHaveLength(1);
    const quiet = approvalsFleet({ open: () => [] });
    Object.assign(quiet.backend, { failure, projects: async () => [] });
    await expect(quiet.fleet.approvals.list(undefined)).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
    const without = fixedFleet();
    await expect(without.fleet.approvals.respond('call', ALLOW, TESTER)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(await without.fleet.approvals.list(undefined)).toEqual([]);
  });
});

describe('an answer', () => {
  it('to a call goes to the store, and not from the caller that asked', async () => {
    const { fleet, answered } = approvalsFleet({
      find: (id) => (id === 'call' ? approval('call', 1) : undefined),
    });
    await fleet.approvals.respond('call', ALLOW, TESTER);
    expect(answered).toEqual([['call', ALLOW, BY]]);
    const asker: Caller = { ...TESTER, principal: { kind: 'mcp', name: 'asker' } };
    await expect(fleet.approvals.respond('call', ALLOW, asker)).rejects.toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringContaining('"mcp:asker"'),
      details: { reason: 'asked_by_you' },
    });
  });

  it('to an agent goes to the runner of the agent that asked, and not from itself', async () => {
    const { fleet, backend, asked } = approvalsFleet({});
    backend.addAgent('other');
    const { workspace_id } = backend.addAgent('sony');
    const id = `${workspace_id.slice(0, 8)}-1`;
    await fleet.approvals.respond(id, ALLOW, TESTER);
    expect(asked).toEqual([['sony', { approval_id: id, answer: ALLOW, by: BY }]]);
    const self: Caller = { ...TESTER, principal: { kind: 'agent', name: 'sony' } };
    await expect(fleet.approvals.respond(id, ALLOW, self)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });

  it.each(['nonsense', '00000000-1'])('to %s, which nobody asked, is NOT_FOUND', async (id) => {
    const { fleet, backend } = approvalsFleet({});
    Object.assign(backend.addAgent('sony'), { workspace_id: '11111111-1111' });
    await expect(fleet.approvals.respond(id, ALLOW, TESTER)).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining(`"${id}"`),
    });
  });
});

/** A fleet that writes down what it answers to calls and to agents. */
function approvalsFleet(calls: Partial<CallApprovals>) {
  const answered: unknown[] = [];
  const asked: [string, AnswerRequest][] = [];
  const { fleet, backend } = fixedFleet(
    {
      approvals: async ({ name }) => [approval(`of-${name}`, name === 'early' ? 1 : 3)],
      runner: ({ name }) =>
        ({ answer: async (request: AnswerRequest) => void asked.push([name, request]) }) as RunnerClient,
    },
    {
      calls: {
        open: () => [],
        find: () => undefined,
        answer: (...all) => void answered.push(all),
        ...calls,
      },
    },
  );
  return { fleet, backend, answered, asked };
}

function approval(id: string, day: number): Approval {
  return {
    id,
    kind: 'tool_call',
    tool: 'deploy',
    input: {},
    options: [],
    agent_name: null,
    asked_at: `2026-11-0${day}T10:00:00.000Z`,
    expires_at: null,
    asked_by: 'mcp:asker',
  };
}
