import { realpathSync } from 'node:fs';
import type { Backend } from '../backends/backend.ts';
import type { BackendKind } from '../backends/backend-kind.ts';
import { openStore } from '../backends/local/records/open-store.ts';
import type { ConfigSource } from '../config/config-source.ts';
import { systemClock } from '../platform/clock.ts';
import { once } from '../platform/once.ts';
import { ensureHome, resolveHome } from '../platform/home.ts';
import { ApprovalStore } from '../store/approval-store.ts';
import { CallLedger } from '../store/call-ledger.ts';
import { EventLog } from '../store/event-log.ts';
import { FeedbackStore } from '../store/feedback-store.ts';
import { ForgeStore } from '../store/forge-store.ts';
import { ReviewStore } from '../store/review-store.ts';
import { PullRequestStore } from '../store/pull-request-store.ts';
import { BACKENDS } from './backend-table.ts';
import { Fleet } from './fleet.ts';
import { openConfig } from './open-config.ts';
import { PullRequests } from './pull-requests/pull-requests.ts';

// From here, so that doctor and the fleet share one file of the package.
export { BACKENDS };

export interface FleetPlace {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** The value of --config. */
  readonly config?: string | undefined;
  /** The configuration, when it is open already. */
  readonly configSource?: ConfigSource | undefined;
}

export interface OpenedFleet extends AsyncDisposable {
  readonly fleet: Fleet;
  readonly home: string;
  readonly ledger: CallLedger;
  readonly calls: ApprovalStore;
  /** All that this fleet has now; without those of a configuration that cannot be used. */
  backends(): Promise<readonly Backend[]>;
  /** Those of one kind; throws when the configuration cannot be used. */
  backendsOf(kind: string): Promise<readonly Backend[]>;
  config(): Promise<ConfigSource>;
  /** Loads what is otherwise loaded when it is first needed: an upgrade may remove its files under a server. */
  loadAll(): Promise<void>;
}

/** The fleet of this user on this machine. There is no daemon: every process opens it for itself. */
export function openFleet(
  place: FleetPlace,
  table: Readonly<Record<string, BackendKind>> = BACKENDS,
): OpenedFleet {
  const home = ensureHome(resolveHome(place.env));
  const store = openStore(home);
  const config = once(async () => place.configSource ?? (await openConfig(home, place)));
  const kinds = new Map(
    Object.entries(table).map(([name, kind]) => [
      name,
      kind.open({ ...place, home, source: config }, { store, clock: systemClock }),
    ]),
  );
  const all = [...kinds.values()];
  const ledger = new CallLedger(store);
  const calls = new ApprovalStore(store, systemClock);
  const events = new EventLog(store);
  const forges = once(() => import('./pull-requests/configured-forges.ts'));
  const pullRequests = new PullRequests({
    records: new PullRequestStore(store),
    memory: new ForgeStore(store),
    clock: systemClock,
    tell: (agent, change) => events.add(agent, [change]),
    forges: async () => {
      const [source, { configuredForges }] = await Promise.all([config(), forges()]);
      return await configuredForges(source.current(), place.env);
    },
  });
  const feedback = new FeedbackStore(store);
  const fleet = new Fleet({
    backends: async () => (await Promise.all(all.map((kind) => kind.backends()))).flat(),
    clock: systemClock,
    ledger,
    events,
    calls,
    pullRequests,
    reviews: new ReviewStore(store),
    browserSessions: async () => new (await import('./access/session-store.ts')).SessionStore(home),
    tokens: async () => new (await import('./access/token-store.ts')).TokenStore(home),
    feedback: {
      projects: async () => {
        const { projects } = (await config()).current().config;
        return new Set(Object.keys(projects).filter((name) => projects[name]?.ci_feedback === true));
      },
      get: (id, url) => feedback.get(id, url),
      put: (id, url, state) => feedback.put(id, url, state),
      keepOnly: (ids) => feedback.keepOnly(ids),
    },
    place: realpathSync(home),
  });
  return {
    fleet,
    home,
    ledger,
    calls,
    backends: async () =>
      (await Promise.allSettled(all.map((kind) => kind.backends()))).flatMap((each) =>
        each.status === 'fulfilled' ? each.value : [],
      ),
    backendsOf: async (kind) => (await kinds.get(kind)?.backends()) ?? [],
    config,
    loadAll: async () => {
      await Promise.all([
        config(),
        forges(),
        pullRequests.load(),
        pullRequests.publisher(),
        import('../domain/spec.ts'),
        ...all.map((kind) => kind.load?.()),
      ]);
    },
    [Symbol.asyncDispose]: async () => {
      await fleet[Symbol.asyncDispose]();
      ledger[Symbol.dispose]();
      store[Symbol.dispose]();
    },
  };
}
