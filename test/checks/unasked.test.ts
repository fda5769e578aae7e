import { describe, expect } from 'vitest';
import { steps, acpFleet } from '../acp/acp-fleet.ts';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import { agentOf, askAs, failure, idleAgent, type Answer } from '../support/fleets/fleet-under-test.ts';

const it = fleetTest(() => acpFleet({}, { checks: { tests: 'true' } }));

describe('an agent that may not run commands without asking', () => {
  it('is checked only when an operator says so [CHECK-operator]', async ({ fleet, ask }) => {
    await idleAgent(ask, 'sony', { task: steps({ say: 'done' }) });
    const facts = async (): Promise<string[]> =>
      (await fleet.fleet.facts('sony')).facts.map(({ body }) => body.kind);
    await idleAgent(ask, 'papi', { task: steps({ say: 'done' }) });
    expect(await facts()).not.toContain('checks.started');
    expect(await agentOf(ask, 'sony')).toMatchObject({ checks: { commit: null, state: 'not_run' } });
    const byAgent = askAs(fleet.fleet, {
      principal: { kind: 'agent', name: 'papi' },
      door: 'mcp-stdio',
      source: 'agent',
      scopes: new Set(['read', 'operate']),
    });
    expect(await failure(byAgent('check_agent', { agent_name: 'sony' }))).toMatchObject({
      code: 'FORBIDDEN',
      details: { reason: 'only_operator' },
    });
    const answer: Answer = await ask('check_agent', { agent_name: 'sony' });
    expect(answer).toMatchObject({ state: 'passing', checks: [{ name: 'tests', state: 'passing' }] });
    expect(await agentOf(ask, 'sony')).toMatchObject({ checks: { state: 'passing' } });
  });
});
