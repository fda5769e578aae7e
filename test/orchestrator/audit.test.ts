import { describe, expect } from 'vitest';
import { runFleet, serveFleet } from '../support/fleets/fleet-process.ts';
import type { LocalFleet } from '../support/fleets/local-fleet.ts';
import { askableClient, type CallAnswer } from './relay-clients.ts';
import { fleetWith, upstream } from './upstream-place.ts';
import { fleetTest } from '../support/fleets/fleet-test.ts';

const it = fleetTest(() => fleetWith({ lab: upstream('plain'), odd: upstream('stubborn') }));

interface Row {
  readonly operation: string;
  readonly outcome: string;
  readonly input: { readonly correlation_id: string };
}

interface Failure {
  readonly code: string;
  readonly details: { readonly correlation_id?: string };
}

async function rows(fleet: LocalFleet): Promise<readonly Row[]> {
  const { stdout } = await runFleet(['audit', '--json'], { env: fleet.env });
  return (JSON.parse(stdout) as { rows: Row[] }).rows;
}

const failureOf = ({ content }: CallAnswer) =>
  (JSON.parse(content[0]?.text ?? '') as { error: Failure }).error;

/** The row of a call that failed, found by what the failure says of itself. */
async function rowOf(
  fleet: LocalFleet,
  { details: { correlation_id } }: Failure,
): Promise<object | undefined> {
  const row = (await rows(fleet)).find(({ input }) => input.correlation_id === correlation_id);
  return row === undefined ? undefined : { operation: row.operation, outcome: row.outcome };
}

const REFUSED = [
  { operation: 'lab__nothing', outcome: 'NOT_FOUND' },
  { operation: 'lab__drop', outcome: 'APPROVAL_REQUIRED' },
  { operation: 'lab__add', outcome: 'INVALID_INPUT' },
];

describe('a call that was refused', () => {
  it.for(['legacy', 'auto'] as const)(
    'is in the audit log under the id that its error has: %s',
    async (mode, { fleet }) => {
      await using served = await serveFleet(fleet.env);
      await using client = await askableClient(mode, served);
      for (const refused of [...REFUSED, { operation: 'no_such_tool', outcome: 'NOT_FOUND' }]) {
        const failed = failureOf(await client.call(refused.operation));
        // A call is put into the store a moment after it was answered.
        await expect.poll(() => rowOf(fleet, failed)).toEqual(refused);
      }
    },
  );

  it.for(REFUSED)('is there when it came from a shell: $operation', async (refused, { fleet }) => {
    const { stdout } = await runFleet(['tools', 'call', refused.operation], { env: fleet.env });
    expect(await rowOf(fleet, (JSON.parse(stdout) as { error: Failure }).error)).toEqual(refused);
  });

  it('by the server itself, with an error of the protocol, is there as well', async ({ fleet }) => {
    await using served = await serveFleet(fleet.env);
    await using client = await askableClient('auto', served);
    const thrown = await client.call('odd__refuse').catch((error: unknown) => error);
    expect(thrown).toMatchObject({ code: -32_050, data: { until: 'tomorrow' } });
    const { data } = thrown as { data: Failure['details'] };
    await expect
      .poll(() => rowOf(fleet, { code: '', details: data }))
      .toEqual({ operation: 'odd__refuse', outcome: 'failed' });
  });
});

describe('a server that is killed', () => {
  it('has written down every call that it answered', async ({ fleet }) => {
    const before = (await rows(fleet)).filter(({ operation }) => operation === 'lab__echo').length;
    await using served = await serveFleet(fleet.env);
    await using client = await askableClient('auto', served);
    for (const value of ['a', 'b', 'c']) await client.call('lab__echo', { value });
    await served.kill('SIGKILL');
    expect((await rows(fleet)).filter(({ operation }) => operation === 'lab__echo')).toHaveLength(before + 3);
  });
});

describe('a pattern of an upstream server', () => {
  it('holds up nobody', async ({ fleet }) => {
    await using served = await serveFleet(fleet.env);
    await using client = await askableClient('auto', served);
    const answer = await client.call('odd__match', { a: `${'a'.repeat(40)}!` });
    expect(answer.content[0]?.text).toBe('judged by the server');
    expect((await served.request('GET', '/api/v1/agents')).status).toBe(200);
  });
});
