import type { Clock } from '../domain/clock.ts';
import type { Launch } from '../domain/launch.ts';
import type { Actor } from '../domain/principal.ts';
import type { Cell } from '../platform/cell.ts';
import type { Account, Driver, InjectedServer } from './driver.ts';
import type { Journal } from './journal.ts';
import type { Publisher } from './publisher.ts';
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
  readonly servers: readonly InjectedServer[];
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
