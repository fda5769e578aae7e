import { wait } from '../../platform/wait.ts';
import type { Connection } from './connection.ts';
import type { JsonObject } from '../../wire/json-rpc.ts';
import type { ReceivedMessage } from '../../wire/rpc-peer.ts';
import type { UpstreamRequest } from '../servers/upstream-request.ts';

/** From the least to the most important. */
export const LOG_LEVELS = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
] as const;

export interface UpstreamNewsParts {
  /** How often its lists are read again at most. */
  readonly refresh_ms: number;
  refresh(): Promise<void>;
  /** What it says to everybody. */
  tell(received: ReceivedMessage): void;
}

/** What a server says unasked: that its lists or its resources changed, and its log. What was asked for is asked for again
 *  on every new connection. */
export class UpstreamNews {
  readonly #parts: UpstreamNewsParts;
  readonly #followed = new Map<string, number>();
  #level: string | undefined;
  #connection: Connection | undefined;
  #listening: AbortController | undefined;
  #refreshing = false;
  #changed = false;

  constructor(parts: UpstreamNewsParts) {
    this.#parts = parts;
  }

  begin(connection: Connection): void {
    this.#connection = connection;
    if (connection.greeting.era === 'modern') this.#listen();
    else for (const uri of this.#followed.keys()) this.#say('resources/subscribe', { uri });
    if (this.#level !== undefined) this.#say('logging/setLevel', { level: this.#level });
    // What it said while its lists were read for the first time.
    void this.#refresh();
  }

  end(): void {
    this.#connection = undefined;
    this.#changed = false;
  }

  /** True when the request was about what the server is to say; all who use it share the one connection. */
  takes({ method, params }: UpstreamRequest): boolean {
    if (method === 'logging/setLevel') this.#setLevel(String(params['level']));
    else if (method === 'resources/subscribe') this.#follow(String(params['uri']), 1);
    else if (method === 'resources/unsubscribe') this.#follow(String(params['uri']), -1);
    else return false;
    return true;
  }

  receive(received: ReceivedMessage): void {
    if (!/^notifications\/(tools|resources|prompts)\/list_changed$/.test(received.method)) {
      this.#parts.tell(received);
      return;
    }
    this.#changed = true;
    void this.#refresh();
  }

  /** At once; and however often it says so, its lists are read a few times a second at most. */
  async #refresh(): Promise<void> {
    if (!this.#changed || this.#refreshing || this.#connection === undefined) return;
    this.#changed = false;
    this.#refreshing = true;
    const { refresh, refresh_ms } = this.#parts;
    await Promise.all([refresh(), wait(refresh_ms, { ref: false })]);
    this.#refreshing = false;
    await this.#refresh();
  }

  #follow(uri: string, change: 1 | -1): void {
    const before = this.#followed.get(uri) ?? 0;
    const now = Math.max(0, before + change);
    if (now === 0) this.#followed.delete(uri);
    else this.#followed.set(uri, now);
    if (before > 0 === now > 0 || this.#connection === undefined) return;
    if (this.#connection.greeting.era === 'modern') this.#listen();
    else this.#say(now > 0 ? 'resources/subscribe' : 'resources/unsubscribe', { uri });
  }

  /** The most detailed level that a client asked for: each client filters what it gets. */
  #setLevel(level: string): void {
    if (rankOf(level) >= rankOf(this.#level)) return;
    this.#level = level;
    this.#say('logging/setLevel', { level });
  }

  /** Servers of the new era say what changes only to those who listen. */
  #listen(): void {
    if (this.#connection === undefined) return;
    const { peer, prepare } = this.#connection;
    const before = this.#listening;
    this.#listening = new AbortController();
    const resourceSubscriptions = [...this.#followed.keys()];
    const notifications = {
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
      ...(resourceSubscriptions.length === 0 ? {} : { resourceSubscriptions }),
    };
    const { signal } = this.#listening;
    peer.ask('subscriptions/listen', prepare({ notifications }), { signal }).catch(() => {});
    before?.abort();
  }

  /** A server that cannot do it says so, and nothing is lost. */
  #say(method: string, params: JsonObject): void {
    const { greeting, peer, prepare } = this.#connection ?? {};
    if (peer === undefined || prepare === undefined || greeting?.era !== 'legacy') return;
    if (method === 'logging/setLevel' && greeting.capabilities['logging'] === undefined) return;
    peer.ask(method, prepare(params)).catch(() => {});
  }
}

/** One that nobody has named is over all. */
function rankOf(level: string | undefined): number {
  const at = LOG_LEVELS.findIndex((each) => each === level);
  return at === -1 ? LOG_LEVELS.length : at;
}

/** True for what is as important as the level, or more. */
export function isLoud({ level }: JsonObject, from: string): boolean {
  return typeof level !== 'string' || rankOf(level) >= rankOf(from);
}
