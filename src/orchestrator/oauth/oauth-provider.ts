import type { AuthProvider, FetchLike, OAuthClientProvider } from '@modelcontextprotocol/client';
import { clientOf } from './oauth-login.ts';
import { OAuthUser, type OAuthVault } from './oauth-vault.ts';
import type { Redact } from '../../domain/values/redact.ts';
import type { ServerDefinition } from '../servers/server-definition.ts';
import { SteadyLogin } from './steady-login.ts';

const TOKENS_HIDDEN = 16;
const SHORTEST_SECRET = 8;

export interface ServerLogin {
  readonly provider: AuthProvider | OAuthClientProvider;
  readonly fetch?: FetchLike;
  /** Takes the tokens out of what the server says. */
  readonly hide: Redact;
}

/** How a remote server is told who asks; undefined for one that wants no login. Nobody is asked from here: the user logs in
 *  by a command. */
export async function serverLogin(
  { name, url, oauth }: ServerDefinition,
  { vault, fetch }: { readonly vault: OAuthVault; readonly fetch: FetchLike },
): Promise<ServerLogin | undefined> {
  if (url === undefined || (oauth === undefined && !vault.has(url))) return undefined;
  if (oauth?.grant === 'client_credentials') {
    const { ClientCredentialsProvider } = await import('@modelcontextprotocol/client');
    const { client_id = '', client_secret = '', scope, issuer } = oauth;
    const provider = new ClientCredentialsProvider({
      clientId: client_id,
      clientSecret: client_secret,
      ...(scope === undefined ? {} : { scope }),
      ...(issuer === undefined ? {} : { expectedIssuer: issuer }),
    });
    return { provider, hide: hidingTokens(provider) };
  }
  const logIn = (): never => {
    throw new Error(`it wants you to log in: fleet tools login ${name}`);
  };
  const user = new OAuthUser({
    agreement: vault.of(url),
    client: clientOf(oauth),
    scope: oauth?.scope,
    redirectUrl: 'http://127.0.0.1/callback',
    show: logIn,
    onStranger: logIn,
  });
  const hide = hidingTokens(user);
  const provider = new SteadyLogin({ user, vault, url, fetch });
  return { provider, fetch: provider.fetch, hide };
}

/** A server may echo a token that was renewed since: the last few that were sent are hidden. */
function hidingTokens(provider: OAuthClientProvider): Redact {
  const sent: string[] = [];
  const tokens = provider.tokens.bind(provider);
  provider.tokens = async (context) => {
    const current = await tokens(context);
    const token = current?.access_token ?? '';
    if (token.length >= SHORTEST_SECRET && !sent.includes(token)) sent.push(token);
    if (sent.length > TOKENS_HIDDEN) sent.shift();
    return current;
  };
  return (text) => sent.reduce((hidden, token) => hidden.replaceAll(token, '[hidden]'), text);
}
