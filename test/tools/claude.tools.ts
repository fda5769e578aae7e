import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { logOf } from '../acp/acp-fleet.ts';
import { without } from '../agents/agents-cache.ts';
import { realFleet, type RealFleet } from '../agents/real-fleet.ts';
import { upstream } from '../orchestrator/upstream-place.ts';
import { askAs, history, idleAgent, type Ask } from '../support/fleets/fleet-under-test.ts';
import { scriptText } from '../support/model-server/model-script.ts';

type Step = Parameters<typeof scriptText>[0][number];

const { missing, why } = without('claude');

describe.skipIf(missing)(`Claude Code as a client of upstream servers${why}`, () => {
  let real: RealFleet;
  let ask: Ask;
  beforeAll(async () => {
    const view = { permissions: [{ tool: '*', decision: 'allow' }], view: 'lab' };
    real = await realFleet('claude', { helper: view });
    real.fleet.configure((config) => {
      config['mcpServers'] = { lab: upstream('plain') };
      config['views'] = { lab: { servers: ['lab'] } };
    });
    ask = askAs(real.fleet.fleet);
    await idleAgent(ask, 'bo', { role: 'helper', task: scriptText([{ text: 'Ready.' }]) });
  });
  afterAll(() => real[Symbol.asyncDispose]());

  async function does(...steps: Step[]): Promise<string> {
    await ask('start_agent_task', {
      agent_name: 'bo',
      task_description: scriptText([...steps, { text: 'Done.' }]),
    });
    const answer = await ask('wait_for_agents', { agent_names: 'bo', timeout_seconds: 150 });
    expect(answer['timed_out'], JSON.stringify(answer['agents'])).toBe(false);
    expect((await history(ask, 'bo')).find(({ kind }) => kind === 'task')?.state).toBe('complete');
    return (await logOf(ask, 'bo')).map(({ message }) => message).join('\n');
  }
  const lab = (tool: string, input: Record<string, unknown> = {}): Step => ({
    tool: `mcp__tools__lab__${tool}`,
    input,
  });
  /** Of the calls of tools, oldest first; they are written down a moment after they end. */
  const outcomes = async (count: number): Promise<readonly string[]> => {
    for (;;) {
      const rows = real.fleet.opened.ledger
        .auditRows(1_000)
        .filter(({ operation }) => operation.startsWith('lab__'));
      const found = rows.toReversed().map(({ operation, outcome }) => `${operation} ${outcome}`);
      if (found.length >= count) return found;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };

  it('calls a tool, waits for a slow one, and uses one that was not there before', async () => {
    await does(lab('echo', { value: 'by Claude' }), lab('slow', { steps: 4, step_ms: 100 }), lab('grow'));
    // It reads its lists again in its own time.
    while (!(await does(lab('grown'))).includes('\nhere'));
    expect(await outcomes(4)).toEqual(['lab__echo ok', 'lab__slow ok', 'lab__grow ok', 'lab__grown ok']);
  });

  it('has its tools back after the server was killed in the middle of a call', async () => {
    await does(lab('exit'), lab('echo', { value: 'again' }));
    expect((await outcomes(6)).slice(-2)).toEqual(['lab__exit SERVICE_UNAVAILABLE', 'lab__echo ok']);
  });

  it('cannot make a call that a person must allow', async () => {
    const said = await does(lab('drop', { what: 'everything' }));
    expect(said).toContain('APPROVAL_REQUIRED');
    const { total_count } = await ask('list_approvals', {});
    expect(total_count).toBe(1);
  });
});
