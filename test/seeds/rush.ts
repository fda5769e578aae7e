import { existsSync, writeFileSync } from 'node:fs';
import { FleetError } from '../../src/domain/values/errors.ts';
import { openFleet } from '../../src/fleet/open-fleet.ts';
import { askAs, type Answer } from '../support/fleets/fleet-under-test.ts';

/** A process that makes many calls at once, as soon as it may: `rush.ts READY GO COUNT OPERATION INPUT` prints their
 *  outcomes as JSON. */
const [ready = '', go = '', count = '', operation = '', input = '{}'] = process.argv.slice(2);

await using opened = openFleet({ env: process.env, cwd: process.cwd() });
const ask = askAs(opened.fleet);
await ask('list_agents');
writeFileSync(ready, '');
while (!existsSync(go)) await new Promise((resolve) => setTimeout(resolve, 5));
const calls = Array.from({ length: Number(count) }, () =>
  ask(operation, JSON.parse(input) as Answer).then(
    () => 'ok',
    (thrown: unknown) => (thrown instanceof FleetError ? thrown.code : String(thrown)),
  ),
);
process.stdout.write(JSON.stringify(await Promise.all(calls)));
