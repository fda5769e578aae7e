import type { RunningServer } from '../../fleet/access/running-servers.ts';
import type { SignInCodes } from '../../fleet/access/sign-in-codes.ts';

export interface SignInLinks {
  readonly link: string;
  /** For the address behind a proxy; null when there is none. */
  readonly public_link: string | null;
  readonly expires_at: string;
}

/** One-time links to the page of a server, each with a code of its own. */
export function signInLinks(
  codes: Pick<SignInCodes, 'make'>,
  { url, public_url }: Pick<RunningServer, 'url' | 'public_url'>,
): SignInLinks {
  const { code, expires_at } = codes.make();
  return {
    link: `${url}/?code=${code}`,
    public_link: public_url === null ? null : `${public_url}/?code=${codes.make().code}`,
    expires_at,
  };
}
