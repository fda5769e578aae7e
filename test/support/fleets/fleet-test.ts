import { test } from 'vitest';
import { serveFleet } from './fleet-process.ts';
import { askAs } from './fleet-under-test.ts';
import { localFleet, type LocalFleet } from './local-fleet.ts';

/**
 * `it` with a fleet for all tests of a file. `ask` asks it through the operations table, `served` is `fleet serve` for it.
 * Each is opened when it is first used, and closed at the end of the file.
 */
export function fleetTest(open: () => LocalFleet = localFleet) {
  return (
    test
      // oxlint-disable-next-line no-empty-pattern -- vitest wants to see which fixtures a function takes.
      .extend('fleet', { scope: 'file' }, ({}, { onCleanup }) => {
        const fleet = open();
        onCleanup(() => fleet[Symbol.asyncDispose]());
        return fleet;
      })
      .extend('ask', { scope: 'file' }, ({ fleet }) => askAs(fleet.fleet))
      .extend('served', { scope: 'file' }, async ({ fleet }, { onCleanup }) => {
        const served = await serveFleet(fleet.env);
        onCleanup(() => served[Symbol.asyncDispose]());
        return served;
      })
  );
}
