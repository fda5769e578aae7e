import { describe, expect } from 'vitest';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import { agentOf, history, until, waitIdle, type Answer } from '../support/fleets/fleet-under-test.ts';
import { agentWith, checked, checkedFleet, commits } from './checked-fleet.ts';

const it = fleetTest(() => checkedFleet());

describe('an agent that reports done', () => {
  it('while its checks fail needs attention until they pass [AGENT-checks, AGENT-checks-attention]', async ({
    fleet,
    ask,
  }) => {
    await agentWith(ask, 'sony', { state: 'bad' });
    const failing = await checked(ask, 'sony', 'failing');
    expect(failing).toMatchObject({
      status: 'idle',
      needs_attention: true,
      attention_reason: 'reported done, checks failing: state',
      checks: { commit: expect.stringMatching(/^[0-9a-f]{40}$/) as string, failed: ['state'] },
    });
    const { agents } = await ask('list_agents');
    expect((agents as Answer[])[0]).toMatchObject({ checks: failing.checks, needs_attention: true });
    await ask('start_agent_task', { agent_name: 'sony', task_description: commits('good') });
    const passing = await checked(ask, 'sony', 'passing');
    expect(passing).toMatchObject({ needs_attention: false, checks: { failed: [] } });
    expect(passing.checks?.commit).not.toBe(failing.checks?.commit);
    const events = fleet.fleet.events?.since('0', 1_000) ?? [];
    const told = events.filter(({ kind }) => kind === 'check').map(({ data }) => data['state']);
    expect(told).toEqual(['running', 'failing', 'running', 'passing']);
  });

  it('while a check of its spec fails needs attention [OP-spec-checks, AGENT-attention-checks]', async ({
    ask,
  }) => {
    await agentWith(ask, 'spec', { state: 'good', spec: 'checks: [{name: mine, run: "exit 7"}]' });
    expect(await checked(ask, 'spec', 'failing')).toMatchObject({
      needs_attention: true,
      attention_reason: 'reported done, checks failing: mine',
      checks: { failed: ['mine'] },
    });
  });

  it('is left in peace once somebody has seen it [AGENT-checks-attention]', async ({ ask }) => {
    await agentWith(ask, 'papi', { state: 'bad' });
    await checked(ask, 'papi', 'failing');
    await ask('acknowledge_agent', { agent_name: 'papi' });
    expect(await agentOf(ask, 'papi')).toMatchObject({
      needs_attention: false,
      checks: { state: 'failing', failed: ['state'] },
    });
  });

  it('without committing is checked without that work [CHECK-committed]', async ({ ask }) => {
    await agentWith(ask, 'mine', { state: 'good', task: 'echo good > state.txt' });
    expect(await checked(ask, 'mine', 'failing')).toMatchObject({ git: { dirty: true } });
  });

  it('and fails its task is not checked', async ({ ask }) => {
    await agentWith(ask, 'fails', { state: 'x', task: `${commits('bad')}; exit 3` });
    expect(await agentOf(ask, 'fails')).toMatchObject({ checks: { commit: null, state: 'not_run' } });
  });
});

describe('check_retries', () => {
  it('hands a failure back as a task, with the end of its output [CHECK-retries]', async ({ ask }) => {
    await agentWith(ask, 'able', { state: 'bad', role: 'able' });
    expect(await checked(ask, 'able', 'passing')).toMatchObject({ needs_attention: false });
    const [retry, first] = await history(ask, 'able');
    expect(first).toMatchObject({ source: 'human' });
    expect(retry).toMatchObject({ source: 'agent', state: 'complete' });
    expect(retry?.['message']).toMatch(/its checks fail: state\.[^]*exit code 1[^]*bad/);
  });

  it('stops after as many tries as the role says, and asks a person [CHECK-retries]', async ({ ask }) => {
    await agentWith(ask, 'busy', { state: 'bad', role: 'busy' });
    const agent = await until(
      () => agentOf(ask, 'busy'),
      ({ needs_attention }) => needs_attention,
    );
    expect(agent.attention_reason).toBe('reported done, checks failing: state (after 2 retries)');
    expect(await history(ask, 'busy')).toHaveLength(3);
  });

  it('does not repeat itself for the same failure of the same commit [CHECK-retries-once]', async ({
    ask,
  }) => {
    await agentWith(ask, 'lazy', { state: 'bad', role: 'lazy' });
    await until(
      () => agentOf(ask, 'lazy'),
      ({ needs_attention }) => needs_attention,
    );
    expect(await history(ask, 'lazy')).toHaveLength(2);
    await waitIdle(ask, 'lazy');
    await ask('start_agent_task', { agent_name: 'lazy', task_description: 'true' });
    await until(
      () => agentOf(ask, 'lazy'),
      ({ needs_attention }) => needs_attention,
    );
    expect(await history(ask, 'lazy')).toHaveLength(3);
  });
});
