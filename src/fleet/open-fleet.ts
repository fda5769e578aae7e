import { LocalBackend } from '../backends/local/local-backend.ts';
import { rebuildStore } from '../backends/local/rebuild-store.ts';
import { ConfigSource } from '../config/config-source.ts';
import { findConfig } from '../config/find-config.ts';
import { isTrusted } from '../config/trust.ts';
import { systemClock } from '../platform/clock.ts';
import { ensureHome, resolveHome } from '../platform/home.ts';
import { CallLedger } from '../store/call-ledger.ts';
import { EventLog } from '../store/event-log.ts';
import { Store } from '../store/store.ts';
import { Fleet } from './fleet.ts';

export interface FleetPlace {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** The value of --config. */
  readonly config?: string;
}

export interface OpenedFleet extends AsyncDisposable {
  readonly fleet: Fleet;
  readonly home: string;
  readonly config: ConfigSource;
  readonly ledger: CallLedger;
  readonly local: LocalBackend;
}

/** The fleet of this user on this machine. There is no daemon: every process opens it for itself. */
export function openFleet({ env, cwd, config: flag }: FleetPlace): OpenedFleet {
  const home = ensureHome(resolveHome(env));
  const config = new ConfigSource({
    location: () => findConfig({ flag, env, cwd }),
    env,
    isTrusted: (path, hash) => isTrusted(home, path, hash),
  });
  const store = new Store(home);
  if (store.isNew) rebuildStore(home, store);
  const ledger = new CallLedger(store);
  const local = new LocalBackend({ home, store, config, clock: systemClock, env });
  const fleet = new Fleet({ backends: [local], clock: systemClock, ledger, events: new EventLog(store) });
  return {
    fleet,
    home,
    config,
    ledger,
    local,
    [Symbol.asyncDispose]: async () => {
      await fleet[Symbol.asyncDispose]();
      store[Symbol.dispose]();
    },
  };
}
