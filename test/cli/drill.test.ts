import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import type { Judgement } from '../../src/cli/drill/promises.ts';
import { runFleet } from '../support/fleet-process.ts';

const leftovers = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith('fleet-drill-'));

it('a drill on this machine finds that every promise holds, and leaves nothing', async () => {
  const before = leftovers();
  const { code, stdout } = await runFleet(['drill', '--seconds', '1', '--json'], { env: process.env });
  const { held, rounds, promises } = JSON.parse(stdout) as {
    held: boolean;
    rounds: number;
    promises: Judgement[];
  };
  expect(promises.filter((each) => !each.held)).toEqual([]);
  expect({ code, held, rounds, judged: promises.length }).toEqual({
    code: 0,
    held: true,
    rounds: 1,
    judged: 10,
  });
  expect(leftovers()).toEqual(before);
});
