import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LAB, purgeRealCoder, pushTestTemplates, startRealCoder } from '../support/coder/real-coder.ts';
import { PLACE_VARIABLE } from './real-fleet.ts';

let state: string | undefined;

/** Before all tests on a real server. One that FLEET_TEST_CODER names is used and left as it is. */
export async function setup(): Promise<void> {
  const kept = process.env['FLEET_TEST_CODER'];
  const place = kept ?? mkdtempSync(join(tmpdir(), 'fleet-real-coder-'));
  if (kept === undefined) state = place;
  const coder = await startRealCoder(place, LAB);
  await pushTestTemplates(coder);
  writeFileSync(join(place, 'coder.json'), JSON.stringify(coder));
  process.env[PLACE_VARIABLE] = place;
}

export async function teardown(): Promise<void> {
  if (state !== undefined) await purgeRealCoder(state);
}
