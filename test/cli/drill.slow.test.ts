import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { Judgement } from '../../src/upkeep/drill/promises.ts';
import { runFleet } from '../support/fleets/fleet-process.ts';

const directory = mkdtempSync(join(tmpdir(), 'fleet-drilled-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

it('a drill on this machine finds that every promise holds, and leaves nothing', async () => {
  const env = { ...process.env, TMPDIR: directory, FLEET_HOME: join(directory, 'never') };
  const { code, stdout } = await runFleet(['drill', '--seconds', '1', '--json'], { env });
  const { promises, ...rest } = JSON.parse(stdout) as {
    held: boolean;
    rounds: number;
    promises: Judgement[];
  };
  expect(promises.filter((each) => !each.held)).toEqual([]);
  expect({ code, judged: promises.length, ...rest }).toEqual({ code: 0, judged: 10, held: true, rounds: 1 });
  expect(readdirSync(directory).filter((name) => name !== `fleet-${process.getuid?.()}`)).toEqual([]);
});
