import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { purgeRealCoder, startRealCoder } from '../support/coder/real-coder.ts';
import { forwardPort } from '../support/docker/forward-port.ts';
import { agentOf, askAs, history, idleAgent, until, waitIdle } from '../support/fleets/fleet-under-test.ts';
import { dockerFleet } from './docker-fleet.ts';
import { CONTAINER_CODER, dockerPlace } from './docker-place.ts';
import { pushVariant } from './push-templates.ts';

const REQUESTS_A_MINUTE = 150;

it('says the truth within a minute, and loses no accepted task, when the server refuses requests for their number', async () => {
  const place = dockerPlace();
  const state = mkdtempSync(join(tmpdir(), 'fleet-limited-coder-'));
  try {
    const coder = await startRealCoder(state, {
      ...CONTAINER_CODER,
      FLEET_CODER_RATE_LIMIT: String(REQUESTS_A_MINUTE),
    });
    await using _forwarded = await forwardPort(place.gateway, Number(new URL(coder.url).port));
    const limited = { ...place, coder };
    await pushVariant(limited, { name: 'setup', display_name: 'Setup' });
    await using fleet = await dockerFleet(undefined, limited);
    const ask = askAs(fleet.fleet);
    await idleAgent(ask, 'patient');
    const { id } = (await ask('start_agent_task', { agent_name: 'patient', task_description: 'one' }))[
      'task'
    ] as { id: string };
    const headers = { 'coder-session-token': fleet.coder.token };
    const burst = Array.from({ length: REQUESTS_A_MINUTE * 2 }, () =>
      fetch(`${coder.url}/api/v2/users/me`, { headers }).then((answer) => answer.status),
    );
    expect(await Promise.all(burst)).toContain(429);
    const agent = await until(
      () => agentOf(ask, 'patient').catch(() => undefined),
      (each) => each?.status === 'idle',
      90_000,
    );
    expect(agent?.name).toBe('patient');
    await until(
      () =>
        ask('start_agent_task', { agent_name: 'patient', task_description: 'two' }).then(
          () => true,
          () => false,
        ),
      Boolean,
      90_000,
    );
    await waitIdle(ask, 'patient');
    const rows = await history(ask, 'patient');
    expect(rows.map(({ message }) => message)).toEqual(['two', 'one', 'get ready']);
    expect(rows[1]).toMatchObject({ id, state: 'complete' });
  } finally {
    await purgeRealCoder(state);
    rmSync(state, { recursive: true, force: true });
  }
});
