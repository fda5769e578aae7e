import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { LAB, purgeRealCoder, pushTestTemplates, startRealCoder } from '../support/coder/real-coder.ts';
import { PLACE_VARIABLE } from './real-fleet.ts';

const NEEDED = ['go', 'terraform', 'bash', 'curl'];
let state: string | undefined;

/** Before all tests on a real server. One that FLEET_TEST_CODER names is used and left as it is. */
export async function setup(): Promise<void> {
  const missing = NEEDED.filter((name) => !isThere(name));
  if (missing.length > 0) {
    throw new Error(
      `the tests on a real Coder server need ${NEEDED.join(', ')} and PostgreSQL; not found: ${missing.join(', ')}`,
    );
  }
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

function isThere(name: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((directory) => existsSync(join(directory, name)));
}
