import { expect } from 'vitest';
import { readEvents } from '../server/event-reader.ts';
import { runFleet } from '../support/fleets/fleet-process.ts';
import { askableClient } from './relay-clients.ts';
import { fleetWith, upstream } from './upstream-place.ts';
import { fleetTest } from '../support/fleets/fleet-test.ts';

const it = fleetTest(() => fleetWith({ lab: upstream('plain') }));

it('the approval of a tool call is sent to subscribers, and so is its answer [EV-approval]', async ({
  fleet,
  served,
}) => {
  await using listener = await readEvents(served);
  await using client = await askableClient('auto', served);
  const ask = async (what: string): Promise<string> => {
    const { _meta } = await client.call('lab__drop', { what });
    return (_meta as Record<string, { details: { id: string } }>)['fleet-mcp/error']?.details.id ?? '';
  };
  const denied = await ask('a');
  // Asked about again, it is the same approval.
  expect(await ask('a')).toBe(denied);
  expect((await runFleet(['deny', denied], { env: fleet.env })).code).toBe(0);
  const settled = await ask('b');
  await using asked = await askableClient('auto', served, () => ({
    action: 'accept',
    content: { allow: true },
  }));
  expect((await asked.call('lab__drop', { what: 'b' })).content[0]?.text).toBe('dropped b');
  const frames = await listener.until((all) => all.length >= 4);
  expect(frames.map(({ event, data }) => [event, data['approval_id'], data['decision']])).toEqual([
    ['approval.asked', denied, undefined],
    ['approval.answered', denied, 'deny'],
    ['approval.asked', settled, undefined],
    ['approval.answered', settled, 'allow'],
  ]);
  expect(frames[0]?.data).toMatchObject({
    agent_name: null,
    workspace_id: null,
    approval_kind: 'tool_call',
    tool: 'lab__drop',
    by: 'mcp:http',
  });
  // No agent has changed.
  const waited = await served.request('GET', `/api/v1/wait?until=any_change&cursor=0&timeout_seconds=0`);
  expect(waited.body).toMatchObject({ timed_out: true, agents: [] });
});

it.for(['legacy', 'auto'] as const)(
  "the events are sent once each when a client's own user answers: %s [EV-approval]",
  async (mode, { fleet, served }) => {
    await using listener = await readEvents(served);
    for (const allow of [true, false]) {
      await using client = await askableClient(mode, served, () => ({
        action: 'accept',
        content: { allow },
      }));
      await client.call('lab__drop', { what: 'c' });
      expect(client.questions).toHaveLength(1);
    }
    // The next approval: whatever was sent for the others came before it.
    await using last = await askableClient(mode, served);
    await last.call('lab__drop', { what: mode });
    const isAsked = ({ event }: { event: string }): boolean => event === 'approval.asked';
    const frames = await listener.until((all) => all.filter(isAsked).length >= 3);
    const [first = '', second = ''] = [0, 2].map((index) => String(frames[index]?.data['approval_id']));
    expect(new Set([first, second]).size).toBe(2);
    const by = 'mcp:http';
    const asked = { approval_kind: 'tool_call', tool: 'lab__drop', by, agent_name: null };
    expect(frames.map(({ event, data }) => ({ event, ...data }))).toMatchObject([
      { event: 'approval.asked', approval_id: first, ...asked },
      { event: 'approval.answered', approval_id: first, decision: 'allow', by },
      { event: 'approval.asked', approval_id: second, ...asked },
      { event: 'approval.answered', approval_id: second, decision: 'deny', by },
      { event: 'approval.asked', ...asked },
    ]);
    const answered = await runFleet(['approve', first], { env: fleet.env });
    expect(answered.stderr).toContain(first);
    // NOT_FOUND: an approval that had been stored and answered would be a CONFLICT.
    expect(answered.code).toBe(3);
  },
);

it('an approval that the client leaves without an answer is closed with a reason [EV-approval]', async ({
  served,
}) => {
  await using listener = await readEvents(served);
  await using client = await askableClient('legacy', served, () => {
    throw new Error('no user is here');
  });
  await client.call('lab__drop', { what: 'd' }).catch(() => undefined);
  const [asked, answered] = await listener.until((all) => all.length >= 2);
  expect(asked).toMatchObject({ event: 'approval.asked' });
  expect(answered).toMatchObject({
    event: 'approval.answered',
    data: { approval_id: asked?.data['approval_id'], decision: 'deny', reason: 'The client did not answer.' },
  });
});
