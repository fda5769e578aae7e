import type { AuthProvider, FetchLike, OAuthClientProvider } from '@modelcontextprotocol/client';
import type { OAuthVault } from './oauth-vault.ts';

type Refusal = Parameters<NonNullable<AuthProvider['onUnauthorized']>>[0];

export interface SteadyLoginParts {
  readonly user: OAuthClientProvider;
  readonly vault: OAuthVault;
  readonly url: string;
  readonly fetch: FetchLike;
}

/** A login that is renewed once at a time, in this process and beside others: what it is renewed by is good once, and who
 *  came second would lose the login. */
export class SteadyLogin implements AuthProvider {
  readonly #parts: SteadyLoginParts;
  /** The token that each answer refused. */
  readonly #refused = new WeakMap<Response, string | undefined>();
  #renewing: Promise<void> | undefined;

  constructor(parts: SteadyLoginParts) {
    this.#parts = parts;
  }

  async token(): Promise<string | undefined> {
    return (await this.#parts.user.tokens())?.access_token;
  }

  /** Sends a request, and remembers by which token. */
  readonly fetch: FetchLike = async (url, init) => {
    const response = await this.#parts.fetch(url, init);
    if (response.status === 401) {
      const sent = new Headers(init?.headers).get('authorization');
      this.#refused.set(response, sent?.replace(/^bearer /i, ''));
    }
    return response;
  };

  async onUnauthorized(refusal: Refusal): Promise<void> {
    this.#renewing ??= this.#renew(refusal).finally(() => (this.#renewing = undefined));
    await this.#renewing;
  }

  async #renew({ response, serverUrl, fetchFn }: Refusal): Promise<void> {
    const { user, vault, url } = this.#parts;
    using _lease = await vault.renewing(url);
    // Another request, or another process, was first.
    if ((await this.token()) !== this.#refused.get(response)) return;
    const { auth, extractWWWAuthenticateParams } = await import('@modelcontextprotocol/client');
    const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
    const wanted = { ...(scope && { scope }), ...(resourceMetadataUrl && { resourceMetadataUrl }) };
    await auth(user, { serverUrl, fetchFn, ...wanted });
  }
}
