import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sweepRun } from '../../platform/processes/process-tree.ts';
import { Attachment } from './attachment.ts';
import { LIMITS, type UpstreamLimits } from '../servers/mcp-connection.ts';
import { OAuthVault } from '../oauth/oauth-vault.ts';
import { OfferCache } from '../servers/offer-cache.ts';
import { serverKey, type ServerDefinition } from '../servers/server-definition.ts';
import type { ServersChange, ToolServers } from '../servers/tool-servers.ts';
import { Upstream } from './upstream.ts';

export interface PoolParts {
  readonly home: string;
  readonly limits?: Partial<UpstreamLimits>;
  /** How long a server that nobody uses any more is kept for the next one. */
  readonly linger_ms?: number;
}

interface Kept {
  readonly upstream: Upstream;
  readonly marker: string;
  readonly users: Set<Attachment>;
  linger?: NodeJS.Timeout;
}

/** Every upstream server of a FLEET_HOME, each connected once, however many clients use it. Its process holds the lease. */
export class UpstreamPool implements AsyncDisposable {
  readonly #cache: OfferCache;
  readonly #vault: OAuthVault;
  readonly #limits: UpstreamLimits;
  readonly #linger_ms: number;
  readonly #running: string;
  readonly #kept = new Map<string, Kept>();
  readonly #stopping = new Set<Promise<void>>();

  constructor({ home, limits, linger_ms = 10_000 }: PoolParts) {
    this.#cache = new OfferCache(home);
    this.#vault = new OAuthVault(home);
    this.#limits = { ...LIMITS, ...limits };
    this.#linger_ms = linger_ms;
    this.#running = join(home, 'tools', 'running');
    mkdirSync(this.#running, { recursive: true, mode: 0o700 });
  }

  /** Ends what a host that died has left. */
  async sweep(): Promise<void> {
    const markers = readdirSync(this.#running);
    await Promise.all(
      markers.map(async (marker) => {
        await sweepRun(marker);
        rmSync(join(this.#running, marker), { force: true });
      }),
    );
  }

  attach(): ToolServers {
    return new Attachment(this);
  }

  /** The server of a definition, started when it should be. */
  use(definition: ServerDefinition, user: Attachment): Upstream {
    const key = serverKey(definition);
    const known = this.#kept.get(key) ?? this.#make(key, definition);
    clearTimeout(known.linger);
    known.users.add(user);
    return known.upstream;
  }

  /** `now`: a server that the configuration no longer names goes at once, when its calls are answered. */
  leave(definition: ServerDefinition, user: Attachment, { now }: { readonly now: boolean }): void {
    const key = serverKey(definition);
    const kept = this.#kept.get(key);
    if (kept === undefined) return;
    kept.users.delete(user);
    if (kept.users.size > 0) return;
    if (now) this.#retire(key, kept);
    else kept.linger = setTimeout(() => this.#retire(key, kept), this.#linger_ms);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const [key, kept] of this.#kept) this.#retire(key, kept);
    await Promise.all(this.#stopping);
  }

  #make(key: string, definition: ServerDefinition): Kept {
    const marker = `tools-${randomUUID()}`;
    writeFileSync(join(this.#running, marker), definition.name, { mode: 0o600 });
    const users = new Set<Attachment>();
    const server = definition.name;
    const tell = (change: ServersChange): void => {
      for (const user of users) user.tell(change);
    };
    const upstream = new Upstream({
      definition,
      key,
      marker,
      cache: this.#cache,
      vault: this.#vault,
      limits: this.#limits,
      onChange: () => tell({ kind: 'connection', server }),
      onNotification: ({ method, params }) => tell({ kind: 'notification', server, method, params }),
    });
    const kept = { upstream, marker, users };
    this.#kept.set(key, kept);
    if (definition.autoStart) upstream.start();
    return kept;
  }

  #retire(key: string, { upstream, marker, linger }: Kept): void {
    clearTimeout(linger);
    this.#kept.delete(key);
    const stopped = upstream.stop().then(() => rmSync(join(this.#running, marker), { force: true }));
    this.#stopping.add(stopped);
    void stopped.finally(() => this.#stopping.delete(stopped));
  }
}
