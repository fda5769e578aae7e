import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fleetWith } from '../orchestrator/upstream-place.ts';
import { askableClient } from '../orchestrator/relay-clients.ts';
import { serveFleet, type ServedFleet } from '../support/fleets/fleet-process.ts';
import type { LocalFleet } from '../support/fleets/local-fleet.ts';
import { openGate, type OpenGate } from './open-gate.ts';
import { CONFORMANCE, programOf, without } from './packages.ts';

const { missing, why } = without(CONFORMANCE);
const FIXTURES = fileURLToPath(new URL('./fixtures.mjs', import.meta.url));

let fleet: LocalFleet;
let served: ServedFleet;
let gate: OpenGate;
beforeAll(async () => {
  fleet = fleetWith({ fixtures: { command: process.execPath, args: [FIXTURES], prefix: false } });
  served = await serveFleet(fleet.env);
  gate = await openGate(served);
  await using client = await askableClient('auto', served);
  while (!(await client.client.listTools()).tools.some(({ name }) => name === 'test_simple_text'));
});
afterAll(async () => {
  await gate[Symbol.asyncDispose]();
  await served[Symbol.asyncDispose]();
  await fleet[Symbol.asyncDispose]();
});

/** Runs all that a revision of the protocol requires, against an upstream server behind the fleet. */
async function conformance(revision: string): Promise<string> {
  const program = programOf(CONFORMANCE) ?? '';
  const child = spawn(process.execPath, [
    program,
    'server',
    '--url',
    gate.mcp_url,
    '--requirements',
    revision,
  ]);
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')));
  await once(child, 'close');
  return said;
}

describe(`the conformance suite through the relay${why}`, () => {
  it.skipIf(missing)('2025-11-25: all of it passes', async () => {
    const said = await conformance('2025-11-25');
    expect(said).toMatch(/Total: (\d{2,}) passed, 0 failed/);
  });

  it.skipIf(missing)('2026-07-28: all that counts passes', async () => {
    const said = await conformance('2026-07-28');
    // What it names below this line does not count: extensions, and scenarios that are not settled.
    const [scored = '', beside = ''] = said.split('Not scored for 2026-07-28');
    const aside = [...beside.matchAll(/✗ (\S+) \(/g)].map(([, name]) => name);
    const failed = [...scored.matchAll(/^✗ ([^:\s]+):/gm)].map(([, name]) => name);
    expect(failed.filter((name) => !aside.includes(name))).toEqual([]);
    expect(scored).toMatch(/^✓ server-stateless: 28 passed, 0 failed/m);
  });
});
