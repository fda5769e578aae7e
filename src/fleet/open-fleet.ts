import { realpathSync } from 'node:fs';
import { LocalBackend } from '../backends/local/local-backend.ts';
import { openStore } from '../backends/local/open-store.ts';
import type { LocalProjects } from '../backends/local/local-projects.ts';
import type { ConfigSource } from '../config/config-source.ts';
import { mentionsCoder } from '../config/mentions-coder.ts';
import { systemClock } from '../platform/clock.ts';
import { ensureHome, resolveHome } from '../platform/home.ts';
import { ApprovalBook } from '../store/approval-book.ts';
import { CallLedger } from '../store/call-ledger.ts';
import { EventLog } from '../store/event-log.ts';
import { ForgeBook } from '../store/forge-book.ts';
import { PullRequestBook } from '../store/pull-request-book.ts';
import type { CoderBackend } from '../backends/coder/coder-backend.ts';
import type { Store } from '../store/store.ts';
import { Fleet } from './fleet.ts';
import { PullRequests } from './pull-requests.ts';

export interface FleetPlace {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** The value of --config. */
  readonly config?: string;
}

export interface OpenedFleet extends AsyncDisposable {
  readonly fleet: Fleet;
  readonly home: string;
  readonly ledger: CallLedger;
  readonly calls: ApprovalBook;
  readonly local: LocalBackend;
  /** Those that the configuration uses now. */
  coder(): Promise<readonly CoderBackend[]>;
  config(): Promise<ConfigSource>;
  /** Loads what is otherwise loaded when it is first needed: an upgrade may take its files from under a server. */
  loadAll(): Promise<void>;
}

/** The fleet of this user on this machine. There is no daemon: every process opens it for itself. */
export function openFleet(place: FleetPlace): OpenedFleet {
  const home = ensureHome(resolveHome(place.env));
  const store = openStore(home);
  const configured = once(() => loadConfigured(home, place));
  const ledger = new CallLedger(store);
  const projects = async (): Promise<LocalProjects> => (await configured()).projects;
  const local = new LocalBackend({ home, store, clock: systemClock, projects });
  const calls = new ApprovalBook(store, systemClock);
  const events = new EventLog(store);
  const pullRequests = new PullRequests({
    book: new PullRequestBook(store),
    memory: new ForgeBook(store),
    clock: systemClock,
    tell: (agent, change) => events.add(agent, [change]),
    forges: async () => {
      const { config, configuredForges } = await configured();
      return await configuredForges(config.current(), place.env);
    },
  });
  const coder = coderBackends(place, { home, store, config: async () => (await configured()).config });
  const fleet = new Fleet({
    backends: [local],
    more: coder,
    clock: systemClock,
    ledger,
    events,
    calls,
    pullRequests,
    place: realpathSync(home),
  });
  return {
    fleet,
    home,
    ledger,
    calls,
    local,
    coder,
    config: async () => (await configured()).config,
    loadAll: async () => {
      await Promise.all([configured(), pullRequests.load(), import('../domain/spec.ts')]);
    },
    [Symbol.asyncDispose]: async () => {
      await fleet[Symbol.asyncDispose]();
      ledger[Symbol.dispose]();
      store[Symbol.dispose]();
    },
  };
}

interface CoderParts {
  readonly home: string;
  readonly store: Store;
  config(): Promise<ConfigSource>;
}

/** The backends of the Coder servers that the configuration names as it is now. Nothing of Coder is loaded without one. */
function coderBackends(place: FleetPlace, { home, store, config }: CoderParts) {
  let last: { hash: string; backends: readonly CoderBackend[] } | undefined;
  return async (): Promise<readonly CoderBackend[]> => {
    if (!mentionsCoder({ flag: place.config, env: place.env, cwd: place.cwd })) return [];
    const loaded = (await config()).current();
    if (last?.hash === loaded.hash) return last.backends;
    const [{ CoderBackend }, { coderServers }] = await Promise.all([
      import('../backends/coder/coder-backend.ts'),
      import('../backends/coder/coder-servers.ts'),
    ]);
    const backends = coderServers(loaded, place.env).map(
      (each) => new CoderBackend({ ...each, home, store, clock: systemClock }),
    );
    last = { hash: loaded.hash, backends };
    return backends;
  };
}

/** Reading a configuration takes two libraries, which cost more than all the rest of a `fleet list`. */
async function loadConfigured(home: string, { env, cwd, config: flag }: FleetPlace) {
  const [{ ConfigSource }, { findConfig }, { isTrusted }, { LocalProjects }, { configuredForges }] =
    await Promise.all([
      import('../config/config-source.ts'),
      import('../config/find-config.ts'),
      import('../config/trust.ts'),
      import('../backends/local/local-projects.ts'),
      import('./configured-forges.ts'),
    ]);
  // Who runs a team for somebody uses the configuration that they had, and no other.
  const pinned = env['FLEET_CONFIG_HASH'];
  const config = new ConfigSource({
    location: () => {
      const found = findConfig({ flag, env, cwd });
      return found === undefined || pinned === undefined ? found : { ...found, named: false };
    },
    env,
    isTrusted: (path, hash) => (pinned === undefined ? isTrusted(home, path, hash) : hash === pinned),
  });
  return { config, configuredForges, projects: new LocalProjects({ home, config, env }) };
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => (made ??= make());
}
