import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { chmodSync, linkSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { FleetError, quote } from '../../domain/values/errors.ts';
import type { Caller, Scope } from '../../domain/principal.ts';
import { browserName } from '../../domain/values/browser-name.ts';
import { ensureHome } from '../../platform/home.ts';
import { writeFileAtomic } from '../../platform/write-file.ts';
import type { SessionStore } from '../../fleet/access/session-store.ts';
import type { SignInCodes } from '../../fleet/access/sign-in-codes.ts';
import type { TokenStore } from '../../fleet/access/token-store.ts';

export interface AuthenticatorParts {
  /** The fleet's bearer token. */
  readonly token: string;
  /** Tokens that were made beside it. */
  readonly others?: Pick<TokenStore, 'find'>;
  /** Browsers that have signed in; without it none can. */
  readonly sessions?: Pick<SessionStore, 'open' | 'find'>;
  /** The codes of sign-in links. */
  readonly codes?: Pick<SignInCodes, 'take'>;
  /** What a bearer may do at /mcp; `read` and `operate` unless given. */
  readonly mcpScopes?: readonly Scope[];
}

const MOST_GOOD = 8;

/** Who asks: turns a token, or the secret of a browser that signed in by a one-time code, into a caller. */
export class Authenticator {
  readonly #token: Buffer;
  readonly #others: Pick<TokenStore, 'find'> | undefined;
  /** Headers with the fleet's token, found by their hash: clients send the same one with every call. */
  readonly #good = new Set<string>();
  readonly #mcpScopes: ReadonlySet<Scope>;
  readonly #sessions: Pick<SessionStore, 'open' | 'find'> | undefined;
  readonly #codes: Pick<SignInCodes, 'take'> | undefined;

  constructor({ token, others, sessions, codes, mcpScopes = ['read', 'operate'] }: AuthenticatorParts) {
    this.#others = others;
    this.#sessions = sessions;
    this.#codes = codes;
    this.#token = digest(token);
    this.#mcpScopes = new Set(mcpScopes);
  }

  /** The caller behind an Authorization header; undefined when it has no good token. */
  bearer(authorization: string | undefined, door: 'http' | 'mcp-http'): Caller | undefined {
    if (authorization === undefined) return undefined;
    if (!this.#good.has(authorization)) {
      const [, token] = /^bearer +(\S+) *$/i.exec(authorization) ?? [];
      if (token === undefined) return undefined;
      if (!timingSafeEqual(digest(token), this.#token)) return this.#other(token, door);
      this.#good.add(authorization);
      forgetOldest(this.#good, MOST_GOOD);
    }
    return door === 'mcp-http'
      ? { principal: { kind: 'mcp', name: 'http' }, door, source: 'ai', scopes: this.#mcpScopes }
      : { principal: { kind: 'token', name: 'default' }, door, source: 'human', scopes: HUMAN_SCOPES };
  }

  /** The same at /mcp, or at the path of a view. */
  atMcp(authorization: string | undefined, view: string | null | undefined): Caller | undefined {
    const caller = this.bearer(authorization, 'mcp-http');
    if (caller === undefined || view === null || view === undefined) return caller;
    return { ...caller, views: [...(caller.views ?? []), view] };
  }

  /** A token as it was made; every call by MCP counts as an AI's, regardless of the holder. */
  #other(token: string, door: 'http' | 'mcp-http'): Caller | undefined {
    const entry = this.#others?.find(token);
    if (entry === undefined) return door === 'http' ? this.#page(token) : undefined;
    if (entry.view !== undefined && door === 'http') {
      throw new FleetError(
        'FORBIDDEN',
        `The token ${quote(entry.name)} is valid only at /mcp, because it has a view.`,
        {
          reason: 'token_has_view',
        },
      );
    }
    return {
      principal: { kind: 'token', name: entry.name },
      door,
      source: door === 'mcp-http' ? 'ai' : entry.source,
      scopes: new Set(entry.scopes),
      ...(entry.view === undefined ? {} : { views: [entry.view] }),
    };
  }

  /** Takes a one-time code and opens a session; undefined when the code is unknown, used or expired. */
  openSession(code: string, userAgent: string | undefined): ReturnType<SessionStore['open']> | undefined {
    return this.#codes?.take(code) === true ? this.#sessions?.open(browserName(userAgent)) : undefined;
  }

  #page(secret: string): Caller | undefined {
    const session = this.#sessions?.find(secret);
    if (session === undefined) return undefined;
    const principal = { kind: 'user', name: 'page' } as const;
    return { principal, door: 'page', source: 'human', scopes: HUMAN_SCOPES, session };
  }
}

const HUMAN_SCOPES: ReadonlySet<Scope> = new Set<Scope>(['read', 'operate', 'approve']);

export function tokenFile(home: string): string {
  return join(home, 'token');
}

/** The fleet's token: FLEET_TOKEN, else what the file in the home holds; made when it is not there. */
export function readOrMakeToken(home: string, env: NodeJS.ProcessEnv): string {
  const given = env['FLEET_TOKEN'];
  if (given !== undefined && given !== '') return checkToken(given, 'FLEET_TOKEN');
  const file = tokenFile(ensureHome(home));
  const known = readToken(file);
  if (known !== undefined) return known;
  const candidate = `${file}.${randomText()}`;
  writeFileAtomic(candidate, `${randomText()}\n`);
  try {
    // A link never replaces: of several first starts one makes the token, and all use it.
    linkSync(candidate, file);
  } catch (thrown) {
    if (!hasCode(thrown, 'EEXIST')) throw thrown;
  } finally {
    rmSync(candidate, { force: true });
  }
  return readToken(file) ?? readOrMakeToken(home, env);
}

function readToken(file: string): string | undefined {
  try {
    if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600);
    return checkToken(readFileSync(file, 'utf8').trim(), file);
  } catch (thrown) {
    if (hasCode(thrown, 'ENOENT')) return undefined;
    throw thrown;
  }
}

function checkToken(token: string, from: string): string {
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new FleetError(
    'INVALID_INPUT',
    `The token in ${quote(from)} is empty or has characters that are not allowed in a header. Use letters, digits and signs; or remove it, and a new one is created.`,
    { reason: 'bad_token' },
  );
}

function hasCode(thrown: unknown, code: string): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === code;
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

function randomText(): string {
  return randomBytes(32).toString('base64url');
}

function forgetOldest(kept: Set<string>, most: number): void {
  for (const oldest of kept.keys()) {
    if (kept.size <= most) return;
    kept.delete(oldest);
  }
}
