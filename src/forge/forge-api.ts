import { request } from '@octokit/request';
import { RequestError } from '@octokit/request-error';
import { guardedFetch } from './guarded-fetch.ts';
import type { Forge } from './forge.ts';

const KNOWN_LIMIT = 2_000;
const LONGEST_PAUSE_MS = 3_600_000;

interface Answer {
  readonly etag: string;
  readonly data: unknown;
}

/** Asks forges: what did not change is not sent again, and a forge that asks for a pause gets it. */
export class ForgeApi {
  readonly #known = new Map<string, Answer>();
  readonly #pausedUntil = new Map<string, number>();

  /** `route` is of the API of that forge, with its parameters in braces. Throws a ForgeProblem. */
  async get(
    forge: Forge,
    route: string,
    { signal, ...parameters }: { signal: AbortSignal } & Record<string, unknown>,
  ) {
    const baseUrl = apiUrl(forge);
    const host = new URL(baseUrl).host;
    this.#checkPause(host);
    const key = JSON.stringify([baseUrl, forge.token, route, parameters]);
    const known = this.#known.get(key);
    try {
      const { data, headers } = await request(`GET ${route}`, {
        ...parameters,
        baseUrl,
        headers: {
          accept: 'application/json',
          ...(known === undefined ? {} : { 'if-none-match': known.etag }),
          ...authorization(forge),
        },
        request: { fetch: guardedFetch(new URL(baseUrl).origin), signal },
      });
      if (typeof data !== 'object' || data === null)
        throw new ForgeProblem(`${host} answers with something that is not JSON`);
      if (headers.etag !== undefined) this.#remember(key, { etag: headers.etag, data });
      return data as unknown;
    } catch (thrown) {
      if (thrown instanceof RequestError && thrown.status === 304 && known !== undefined) return known.data;
      throw this.#problemOf(host, thrown, signal);
    }
  }

  #remember(key: string, answer: Answer): void {
    this.#known.delete(key);
    this.#known.set(key, answer);
    const [oldest] = this.#known.keys();
    if (this.#known.size > KNOWN_LIMIT && oldest !== undefined) this.#known.delete(oldest);
  }

  #checkPause(host: string): void {
    const until = this.#pausedUntil.get(host) ?? 0;
    if (until > Date.now()) throw new ForgeProblem(pausedText(host, until));
  }

  #problemOf(host: string, thrown: unknown, signal: AbortSignal): ForgeProblem {
    if (thrown instanceof ForgeProblem) return thrown;
    if (signal.aborted) return new ForgeProblem(`${host} did not answer in time`);
    if (!(thrown instanceof RequestError) || thrown.response === undefined) {
      const message = thrown instanceof Error ? thrown.message : String(thrown);
      return new ForgeProblem(`${host} cannot be reached, or its answer read: ${message}`);
    }
    const pause = pauseOf(thrown.response.headers);
    if ((thrown.status === 403 || thrown.status === 429) && pause !== undefined) {
      const until = Date.now() + Math.min(pause, LONGEST_PAUSE_MS);
      this.#pausedUntil.set(host, until);
      return new ForgeProblem(pausedText(host, until));
    }
    return new ForgeProblem(`${host} ${MEANINGS[thrown.status] ?? `answers with status ${thrown.status}`}`);
  }
}

/** Why a forge did not say; its message is one sentence without a secret. */
export class ForgeProblem extends Error {
  override readonly name = 'ForgeProblem';
}

const MEANINGS: Readonly<Record<number, string>> = {
  401: 'does not take the token that is configured for it (401)',
  403: 'does not let the configured token see it (403)',
  404: 'has no such pull request, or does not show it to the configured token (404)',
};

function pausedText(host: string, until: number): string {
  return `the rate limit of ${host} is used up; it is asked again after ${new Date(until).toISOString()}`;
}

type Headers = Readonly<Record<string, string | number | undefined>>;

/** Milliseconds to wait, when the answer says that too much was asked. */
function pauseOf(headers: Headers): number | undefined {
  const after = Number(headers['retry-after']);
  if (Number.isFinite(after)) return after * 1000;
  const remaining = headers['x-ratelimit-remaining'] ?? headers['ratelimit-remaining'];
  if (String(remaining) !== '0') return undefined;
  const reset = Number(headers['x-ratelimit-reset'] ?? headers['ratelimit-reset']);
  return Number.isFinite(reset) ? Math.max(1_000, reset * 1000 - Date.now()) : 60_000;
}

function apiUrl({ type, url }: Forge): string {
  if (type === 'github') return url === 'https://github.com' ? 'https://api.github.com' : `${url}/api/v3`;
  return type === 'gitlab' ? `${url}/api/v4` : `${url}/api/v1`;
}

function authorization({ type, token }: Forge): Record<string, string> {
  if (token === null) return {};
  return type === 'gitlab' ? { 'private-token': token } : { authorization: `token ${token}` };
}
