import { Store } from '../../../store/store.ts';
import { rebuildStore } from './rebuild-store.ts';

/** The store of a fleet on this machine: one that was lost or damaged comes back with its agents. */
export function openStore(home: string): Store {
  return new Store(home, (store, damaged) => rebuildStore(home, store, damaged));
}
