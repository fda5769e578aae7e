import { describe, expect } from 'vitest';
import type { Check } from '../../src/domain/check.ts';
import { runFleet } from '../support/fleets/fleet-process.ts';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import { connectClient } from '../support/mcp-clients.ts';
import { askByHttp } from './three-interfaces.ts';

interface Findings {
  readonly ok: boolean;
  readonly checks: readonly Check[];
}

/** Whether a port is free, and how much of the disk, may change between two looks. */
const lasting = ({ checks }: Findings): readonly Check[] =>
  checks
    .filter(({ name }) => name !== 'port')
    .map((check) => ({ ...check, message: check.message.replace(/^[\d.]+ [KMGT]?B are free/, 'free') }));

const it = fleetTest();

describe('show_doctor', () => {
  it('finds what fleet doctor finds, at every interface [OP-show_doctor]', async ({ fleet, served }) => {
    const { stdout } = await runFleet(['doctor', '--json'], { env: fleet.env });
    const expected = JSON.parse(stdout) as Findings;
    expect(expected.checks.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['node', 'git', 'config']),
    );
    const byHttp = (await askByHttp(served)('show_doctor')) as unknown as Findings;
    expect(byHttp.ok).toBe(expected.ok);
    expect(lasting(byHttp)).toEqual(lasting(expected));
    const called = await runFleet(['call', 'show_doctor'], { env: fleet.env });
    expect(lasting(JSON.parse(called.stdout) as Findings)).toEqual(lasting(expected));
    await using client = await connectClient('SDK v2, modern era', { env: fleet.env });
    expect(lasting((await client.ask('show_doctor')) as unknown as Findings)).toEqual(lasting(expected));
  });
});
