import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { takeLeaseWhile, type Lease } from '../../platform/database/lease.ts';
import { writeFileAtomic } from '../../platform/write-file.ts';
import { isObject } from '../../wire/json-rpc.ts';

/** Longer than an authorization server takes. */
const RENEWAL_MS = 30_000;

/** What was agreed with the authorization server of one remote server. */
export interface Agreed {
  client?: StoredOAuthClientInformation | undefined;
  tokens?: StoredOAuthTokens | undefined;
  verifier?: string | undefined;
  discovery?: OAuthDiscoveryState | undefined;
}

/** Where logins to remote servers are kept: one file for each address, for this user alone. */
export class OAuthVault {
  readonly #directory: string;
  readonly #leases: string;

  constructor(home: string) {
    this.#directory = join(home, 'tools', 'oauth');
    this.#leases = join(home, 'tools', 'renewing');
  }

  has(url: string): boolean {
    return this.read(url).tokens !== undefined;
  }

  /** A file that is damaged is as good as none: the user logs in again. */
  read(url: string): Agreed {
    try {
      const value: unknown = JSON.parse(readFileSync(this.#file(url), 'utf8'));
      return isObject(value) ? value : {};
    } catch {
      return {};
    }
  }

  write(url: string, agreed: Agreed): void {
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    writeFileAtomic(this.#file(url), JSON.stringify(agreed));
  }

  /** The agreement about one address, as it is for every process. */
  of(url: string): Agreement {
    return { read: () => this.read(url), write: (agreed) => this.write(url, agreed) };
  }

  forget(url: string): void {
    rmSync(this.#file(url), { force: true });
  }

  /** Held by the process that renews the tokens for this address. */
  async renewing(url: string): Promise<Lease> {
    mkdirSync(this.#leases, { recursive: true, mode: 0o700 });
    const until = performance.now() + RENEWAL_MS;
    const lease = await takeLeaseWhile(
      join(this.#leases, `${nameOf(url)}.db`),
      () => performance.now() < until,
    );
    if (lease !== undefined) return lease;
    throw new Error(`its login is being renewed by another process for more than ${RENEWAL_MS} ms`);
  }

  #file(url: string): string {
    return join(this.#directory, `${nameOf(url)}.json`);
  }
}

function nameOf(url: string): string {
  return createHash('sha256').update(url).digest('hex').slice(0, 24);
}

/** Where what was agreed is while it is used. */
export interface Agreement {
  read(): Agreed;
  write(agreed: Agreed): void;
}

export interface OAuthUserParts {
  readonly agreement: Agreement;
  /** Of a client that was registered by hand. */
  readonly client?: StoredOAuthClientInformation | undefined;
  readonly scope?: string | undefined;
  readonly redirectUrl: string;
  /** Protects the way back from the browser. */
  readonly state?: string;
  /** Has the user look at an address. Throws where there is no user. */
  show(address: URL): void;
  /** Where nobody is to be registered as a client. */
  onStranger?(): never;
}

/** A user who logs in by a browser, and stays logged in. */
export class OAuthUser implements OAuthClientProvider {
  readonly #parts: OAuthUserParts;

  constructor(parts: OAuthUserParts) {
    this.#parts = parts;
  }

  get redirectUrl(): string {
    return this.#parts.redirectUrl;
  }

  get clientMetadata(): OAuthClientMetadata {
    const { client, scope } = this.#parts;
    return {
      client_name: 'Fleet',
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: client?.client_secret === undefined ? 'none' : 'client_secret_post',
      ...(scope === undefined ? {} : { scope }),
    };
  }

  state(): string {
    return this.#parts.state ?? '';
  }

  clientInformation(): StoredOAuthClientInformation | undefined {
    return this.#parts.client ?? this.#agreed.client ?? this.#parts.onStranger?.();
  }

  saveClientInformation(client: StoredOAuthClientInformation): void {
    this.#save({ client });
  }

  tokens(): StoredOAuthTokens | undefined {
    return this.#agreed.tokens;
  }

  saveTokens(tokens: StoredOAuthTokens): void {
    this.#save({ tokens });
  }

  redirectToAuthorization(address: URL): void {
    this.#parts.show(address);
  }

  saveCodeVerifier(verifier: string): void {
    this.#save({ verifier });
  }

  codeVerifier(): string {
    return this.#agreed.verifier ?? '';
  }

  saveDiscoveryState(discovery: OAuthDiscoveryState): void {
    // Of a login that never was nothing is kept.
    if (this.#parts.onStranger === undefined || this.#agreed.client !== undefined) this.#save({ discovery });
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#agreed.discovery;
  }

  invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): void {
    if (scope === 'all') this.#parts.agreement.write({});
    else this.#save({ [scope]: undefined });
  }

  get #agreed(): Agreed {
    return this.#parts.agreement.read();
  }

  #save(change: Agreed): void {
    this.#parts.agreement.write({ ...this.#agreed, ...change });
  }
}
