import type { Clock } from '../domain/clock.ts';
import type { Launch } from '../domain/launch.ts';
import type { Actor } from '../domain/principal.ts';
import type { Cell } from '../platform/processes/cell.ts';
import type { Checker } from './checks/checker.ts';
import type { Account, Driver, InjectedServer } from './programs/driver.ts';
import type { Journal } from './journal/journal.ts';
import type { Publisher } from './journal/publisher.ts';
import type { Admission, Workspace } from './workspace.ts';

export interface RunnerParts {
  readonly journal: Journal;
  readonly launch: Launch;
  readonly version: string;
  readonly driver: Driver;
  readonly workspace: Workspace;
  readonly admission: Admission;
  readonly publisher: Publisher;
  readonly clock: Clock;
  /** The whole environment of the agent. */
  readonly env: Readonly<Record<string, string>>;
  readonly cell: Cell | null;
  /** Secrets that are kept out of the log and of results. */
  readonly secrets?: readonly string[];
  readonly servers: readonly InjectedServer[];
  /** Absent where no checks are run. */
  readonly checker?: Checker;
  readonly account: Account;
  /** When somebody last looked at the fleet, by the wall clock. */
  lookedAt(): number;
}

/** How a runner is asked to end. */
export type EndKind = 'stop' | 'restart' | 'delete';

export interface Ending {
  readonly kind: EndKind;
  readonly by: Actor;
}
