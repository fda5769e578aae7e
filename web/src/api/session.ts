import { ApiError, messageOf } from './api-error.ts';
import { Observable } from './observable.ts';
import { forgetSecret, keepSecret, secret } from './secret.ts';

export interface SessionInfo {
  readonly principal: string;
  readonly scopes: readonly string[];
  readonly version: string;
  readonly chat: boolean;
  readonly demo: boolean;
}

export type SessionState =
  | { readonly kind: 'loading'; readonly problem?: string }
  | { readonly kind: 'signed-out'; readonly problem?: string; readonly code?: string }
  | { readonly kind: 'signed-in'; readonly info: SessionInfo };

const RETRY_MS = 2_000;

export const session = new Observable<SessionState>({ kind: 'loading' });

/** Finds out whether this browser is signed in. A one-time code in the address is used only by a click: a program that
 *  previews links must not use it up. */
export async function startSession(): Promise<void> {
  const code = new URLSearchParams(location.search).get('code');
  if (code !== null) history.replaceState(null, '', location.pathname);
  if (secret() !== null && (await loadInfo())) return;
  if (session.value.kind === 'signed-out' && session.value.problem !== undefined && code === null) return;
  session.set({ kind: 'signed-out', ...(code === null ? {} : { code }) });
}

export async function signInByCode(code: string): Promise<void> {
  try {
    const response = await fetch('/session', { method: 'POST', headers: { Authorization: `Code ${code}` } });
    if (!response.ok) throw await ApiError.from(response);
    const answer = (await response.json()) as { readonly secret: string };
    keepSecret(answer.secret);
    await loadInfo();
  } catch (thrown) {
    session.set({ kind: 'signed-out', problem: messageOf(thrown) });
  }
}

export async function signInByToken(token: string): Promise<void> {
  if (/^[\w.~+/=-]+$/.test(token)) {
    keepSecret(token);
    if (await loadInfo()) return;
  }
  if (session.value.kind === 'signed-out' && session.value.problem !== undefined) return;
  session.set({ kind: 'signed-out', problem: 'The token does not belong to this fleet.' });
}

export function signedOut(problem = 'This browser is no longer signed in.'): void {
  forgetSecret();
  session.set({ kind: 'signed-out', problem });
}

/** False when the secret is not one of this fleet. Asks again while the server cannot be reached. */
async function loadInfo(): Promise<boolean> {
  for (;;) {
    try {
      const headers = { Authorization: `Bearer ${secret() ?? ''}` };
      const response = await fetch('/session', { headers, cache: 'no-store' });
      if (response.status >= 400 && response.status < 500) {
        forgetSecret();
        const { message } = await ApiError.from(response);
        session.set({ kind: 'signed-out', ...(response.status === 401 ? {} : { problem: message }) });
        return false;
      }
      if (!response.ok) throw await ApiError.from(response);
      session.set({ kind: 'signed-in', info: (await response.json()) as SessionInfo });
      return true;
    } catch (thrown) {
      session.set({ kind: 'loading', problem: `${messageOf(thrown)} Trying again…` });
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}
