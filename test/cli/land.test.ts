import { expect } from 'vitest';
import { runFleet } from '../support/fleets/fleet-process.ts';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import { idleAgent } from '../support/fleets/fleet-under-test.ts';

const it = fleetTest();
it.beforeAll(async ({ ask }) => {
  await Promise.all(['sony', 'papi'].map((name) => idleAgent(ask, name)));
});

it('exits 4 when one of several agents does not land', async ({ fleet }) => {
  const { code, stdout } = await runFleet(['land', 'sony', 'papi', '--json'], { env: fleet.env });
  expect(code).toBe(4);
  expect(JSON.parse(stdout)).toMatchObject({
    results: [{ reason: 'nothing_to_land' }, { reason: 'nothing_to_land' }],
  });
});

const REFUSED: readonly (readonly [words: readonly string[], said: string])[] = [
  [['sony', '--squash', '--rebase'], "'--squash' cannot be used with option '--rebase'"],
  [['sony', '--rebase', '--merge'], "'--rebase' cannot be used with option '--merge'"],
  [
    ['sony', '--leave-uncommitted', '--include-uncommitted'],
    "cannot be used with option '--leave-uncommitted'",
  ],
  [['sony', 'papi', '--head', 'a'.repeat(40)], '--head names a commit of one agent'],
  [['sony', '--undo', 'x'], '--undo takes the id of a landing'],
];
it.for(REFUSED)('refuses options that do not go together: %j', async ([words, said], { fleet }) => {
  const { code, stderr } = await runFleet(['land', ...words], { env: fleet.env });
  expect(code).toBe(2);
  expect(stderr).toContain(said);
});
