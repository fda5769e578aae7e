import type { Server } from 'node:http';
import { toFleetError, type FleetError } from '../../domain/values/errors.ts';
import { systemClock } from '../../platform/clock.ts';
import { packageVersion } from '../../platform/package.ts';
import { driverOf } from '../../runner/drivers.ts';
import type { RunnerParts } from '../../runner/runner-parts.ts';
import { Runner } from '../../runner/runner.ts';
import type { Store } from '../../store/store.ts';
import { StoreAccount } from './store-account.ts';

/** The process of a runner, on any backend. `failed` passes the error on to the process that waits for the runner. */
export async function runRunner(
  main: () => Promise<void>,
  failed: (error: FleetError) => Promise<void> | void,
): Promise<void> {
  process.on('SIGINT', () => {});
  process.on('SIGHUP', () => {});
  try {
    await main();
  } catch (thrown) {
    const error = toFleetError(thrown);
    console.error(error.code === 'INTERNAL_ERROR' ? thrown : error.message);
    await failed(error);
    process.exitCode = 1;
  }
}

type OwnParts = Omit<RunnerParts, 'version' | 'clock' | 'account' | 'driver'> &
  Partial<Pick<RunnerParts, 'driver'>> & { readonly store: Store };

/** A runner with the parts that are the same on every backend. */
export function makeRunner({ store, ...parts }: OwnParts): Runner {
  const { journal, launch } = parts;
  return new Runner({
    driver: driverOf(launch.agent),
    ...parts,
    version: packageVersion(),
    clock: systemClock,
    account: new StoreAccount({ store, journal, launch, clock: systemClock }),
  });
}

export function closeServers(servers: readonly Server[]): void {
  for (const server of servers) {
    server.close();
    server.closeIdleConnections();
  }
}
