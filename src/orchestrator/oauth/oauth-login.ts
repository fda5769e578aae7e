import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { FleetError } from '../../domain/values/errors.ts';
import { agentError } from '../servers/agent-error.ts';
import { OAuthUser, type Agreed, type OAuthVault } from './oauth-vault.ts';
import type { ServerDefinition } from '../servers/server-definition.ts';

const PATH = '/callback';

export interface LoginParts {
  readonly vault: OAuthVault;
  /** Has the user open an address in a browser. */
  show(address: URL): void;
  readonly signal: AbortSignal;
}

/** Logs the user in to a remote server by a browser, and keeps what that gave. */
export async function oauthLogin(
  { name, url, oauth }: ServerDefinition,
  { vault, show, signal }: LoginParts,
): Promise<void> {
  if (url === undefined) {
    throw new FleetError(
      'INVALID_INPUT',
      `The MCP server "${name}" is a program: there is nothing to log in to.`,
      {
        field: 'server',
      },
    );
  }
  const { auth } = await import('@modelcontextprotocol/client');
  const state = randomBytes(24).toString('base64url');
  using callback = await CallbackServer.open(oauth?.callback_port ?? 0, state);
  // Kept apart until it is whole: a process that uses the server meanwhile would write over it.
  let agreed: Agreed = {};
  const user = new OAuthUser({
    agreement: { read: () => agreed, write: (next) => (agreed = next) },
    client: clientOf(oauth),
    scope: oauth?.scope,
    redirectUrl: callback.url,
    state,
    show,
  });
  try {
    const outcome = await auth(user, {
      serverUrl: url,
      ...(oauth?.scope === undefined ? {} : { scope: oauth.scope }),
    });
    if (outcome !== 'AUTHORIZED') {
      const { code, iss } = await callback.answered(signal);
      await auth(user, { serverUrl: url, authorizationCode: code, ...(iss === undefined ? {} : { iss }) });
    }
    vault.write(url, agreed);
  } catch (cause) {
    if (cause instanceof FleetError || signal.aborted) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw agentError('MCP_CONNECTION_FAILED', `The login to the MCP server "${name}" failed: ${why}.`, {
      server: name,
      cause,
    });
  }
}

/** A client that the user has registered by hand. */
export function clientOf(oauth: ServerDefinition['oauth']) {
  if (oauth?.client_id === undefined) return undefined;
  const { client_id, client_secret } = oauth;
  return { client_id, ...(client_secret === undefined ? {} : { client_secret }) };
}

interface CallbackAnswer {
  readonly code: string;
  readonly iss: string | undefined;
}

/** Where the browser comes back to, on this machine alone. */
class CallbackServer implements Disposable {
  readonly url: string;
  readonly #server: Server;
  readonly #answer = Promise.withResolvers<CallbackAnswer>();

  static async open(port: number, state: string): Promise<CallbackServer> {
    const server = createServer().listen(port, '127.0.0.1');
    await once(server, 'listening');
    return new CallbackServer(server, state);
  }

  private constructor(server: Server, state: string) {
    this.#server = server;
    const address = server.address();
    this.url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}${PATH}`;
    void this.#answer.promise.catch(() => {});
    server.on('request', ({ url = '' }, response) => {
      const { pathname, searchParams } = new URL(url, this.url);
      if (pathname !== PATH) return void response.writeHead(404).end();
      // What another page sends here is not an answer to our question.
      if (searchParams.get('state') !== state)
        return void response.writeHead(400).end('This is not the login.');
      const code = searchParams.get('code');
      response.writeHead(200, { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' });
      response.end(code === null ? 'The login was refused.' : 'You are logged in. This page can be closed.');
      if (code !== null) return this.#answer.resolve({ code, iss: searchParams.get('iss') ?? undefined });
      const why = searchParams.get('error_description') ?? searchParams.get('error') ?? 'no code came back';
      this.#answer.reject(new Error(why));
    });
  }

  async answered(signal: AbortSignal): Promise<CallbackAnswer> {
    const stop = (): void => this.#answer.reject(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    return this.#answer.promise.finally(() => signal.removeEventListener('abort', stop));
  }

  [Symbol.dispose](): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
