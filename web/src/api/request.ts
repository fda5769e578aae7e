import { signedOut } from './session.ts';
import { secret } from './secret.ts';

/** A request to this server with the secret of this browser. */
export async function request(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  const sent = secret();
  headers.set('Authorization', `Bearer ${sent ?? ''}`);
  const response = await fetch(path, { cache: 'no-store', ...init, headers });
  // Another tab may have signed in again meanwhile.
  if (response.status === 401 && sent !== null && sent === secret()) signedOut();
  return response;
}
