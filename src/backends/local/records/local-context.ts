import type { Clock } from '../../../domain/clock.ts';
import type { Store } from '../../../store/store.ts';
import type { AgentRows } from './agent-rows.ts';

/** What all parts of the local backend work on. */
export interface LocalContext {
  readonly home: string;
  readonly store: Store;
  readonly rows: AgentRows;
  readonly clock: Clock;
}
