import type { Clock } from '../../../domain/clock.ts';
import type { CoderClient } from '../client/coder-client.ts';
import type { CoderRows } from './coder-rows.ts';
import type { FleetKey } from './fleet-key.ts';
import type { Mirror } from './mirror.ts';
import type { VersionStore } from './version-store.ts';

/** What the parts of the backend for one Coder server share. */
export interface CoderContext {
  /** The backend's name in the configuration. */
  readonly backend: string;
  readonly client: CoderClient;
  readonly rows: CoderRows;
  readonly mirror: Mirror;
  readonly versions: VersionStore;
  readonly clock: Clock;
  key(): FleetKey;
}
