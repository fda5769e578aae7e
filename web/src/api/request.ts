import { signedOut } from './session.ts';
import { secret } from './secret.ts';

/** A request to this server with the secret of this browser. */
export async function request(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set('Authorization', `Bearer ${secret() ?? ''}`);
  const response = await fetch(path, { cache: 'no-store', ...init, headers });
  if (response.status === 401) signedOut();
  return response;
}
