import type { OAuthClientProvider } from '@modelcontextprotocol/client';
import { clientOf } from './oauth-login.ts';
import { OAuthUser, type OAuthVault } from './oauth-vault.ts';
import type { Redact } from './secrets.ts';
import type { ServerDefinition } from './server-definition.ts';

export interface ServerLogin {
  readonly provider: OAuthClientProvider;
  /** Takes the tokens out of what the server says. */
  readonly hide: Redact;
}

/** How a remote server is told who asks; undefined for one that wants no login. Nobody is asked from here: the user logs in
 *  by a command. */
export async function serverLogin(
  { name, url, oauth }: ServerDefinition,
  vault: OAuthVault,
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
    return { provider, hide: hiding(() => provider.tokens()?.access_token) };
  }
  const logIn = (): never => {
    throw new Error(`it wants you to log in: fleet tools login ${name}`);
  };
  const user = new OAuthUser({
    vault,
    url,
    client: clientOf(oauth),
    scope: oauth?.scope,
    redirectUrl: 'http://127.0.0.1/callback',
    show: logIn,
    onStranger: logIn,
  });
  return { provider: user, hide: hiding(() => user.token) };
}

function hiding(token: () => string | undefined): Redact {
  return (text) => {
    const secret = token();
    return secret === undefined || secret.length < 8 ? text : text.replaceAll(secret, '[hidden]');
  };
}
