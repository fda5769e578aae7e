import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { FleetKey } from '../model/fleet-key.ts';
import { checkSignature, fleetKeyOf } from './check-signature.ts';

const directory = mkdtempSync(join(tmpdir(), 'fleet-key-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const parts = {
  workspace_id: 'w-1',
  id: 'r-1',
  at: '2026-01-01T10:00:00.000Z',
  path: '/v1/tasks',
  body: '{"message":"x"}',
};
const now = Date.parse(parts.at);
const key = new FleetKey(join(directory, 'one'));
const other = new FleetKey(join(directory, 'two'));

function check(change: Partial<typeof parts> = {}, headers = key.headers(parts), time = now): string {
  const { workspace_id, path, body } = { ...parts, ...change };
  return checkSignature(fleetKeyOf(key.public_text), { headers, path, body, workspace_id }, time);
}

describe('a request to a runner in a workspace', () => {
  it('is accepted when the fleet signed it, and has the id that it was given', () => {
    expect(check()).toBe('r-1');
    expect(new FleetKey(join(directory, 'one')).public_text).toBe(key.public_text);
  });

  it('is refused when anything of it is another one, or somebody else signed it', () => {
    for (const change of [{ body: '{}' }, { path: '/v1/end' }, { workspace_id: 'w-2' }])
      expect(() => check(change)).toThrow(expect.objectContaining({ code: 'UNAUTHORIZED' }));
    expect(() => check({}, other.headers(parts))).toThrow(/another fleet/);
    expect(() => check({}, {})).toThrow(/not signed/);
    const replaced = { ...key.headers(parts), 'x-fleet-request': 'r-2' };
    expect(() => check({}, replaced)).toThrow(expect.objectContaining({ code: 'UNAUTHORIZED' }));
  });

  it('is refused when it is old: it may be a recording', () => {
    expect(() => check({}, key.headers(parts), now + 11 * 60_000)).toThrow(/clocks/);
    expect(() => check({}, key.headers(parts), now - 11 * 60_000)).toThrow(/clocks/);
  });
});
