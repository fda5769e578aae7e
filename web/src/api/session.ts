import { forgetDrafts } from './drafts.ts';
import { ApiError, messageOf } from './api-error.ts';
import { followStorage } from './follow-storage.ts';
import { Observable } from './observable.ts';
import { forgetSecret, keepSecret, secret, SECRET_KEY } from './secret.ts';

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
const NOT_SIGNED_IN = 'This browser is no longer signed in.';

export const session = new Observable<SessionState>({ kind: 'loading' });

/** Finds out whether this browser is signed in. A one-time code in the address is used only by a click: a program that
 *  previews links must not use it up. */
export async function startSession(): Promise<void> {
  const code = new URLSearchParams(location.search).get('code');
  if (code !== null) history.replaceState(null, '', location.pathname);
  followStorage(SECRET_KEY, () => void followWindows());
  const kept = secret();
  if (kept !== null && (await loadInfo(kept))) return;
  if (session.value.kind === 'signed-out' && session.value.problem !== undefined && code === null) return;
  session.set({ kind: 'signed-out', ...(code === null ? {} : { code }) });
}

export async function signInByCode(code: string): Promise<void> {
  try {
    const response = await fetch('/session', { method: 'POST', headers: { Authorization: `Code ${code}` } });
    if (!response.ok) throw await ApiError.from(response);
    const answer = (await response.json()) as { readonly secret: string };
    keepSecret(answer.secret);
    await loadInfo(answer.secret);
  } catch (thrown) {
    session.set({ kind: 'signed-out', problem: messageOf(thrown) });
  }
}

export async function signInByToken(token: string): Promise<void> {
  if (/^[\w.~+/=-]+$/.test(token) && (await loadInfo(token))) return;
  if (session.value.kind === 'signed-out' && session.value.problem !== undefined) return;
  session.set({ kind: 'signed-out', problem: 'The token does not belong to this fleet.' });
}

/** Somebody else may use this browser next. */
export function signOut(): void {
  forgetDrafts();
  signedOut('You signed out.');
}

export function signedOut(problem = NOT_SIGNED_IN): void {
  forgetSecret();
  session.set({ kind: 'signed-out', problem });
}

/** Who signs in or out in one window of a browser does so in all of them. */
async function followWindows(): Promise<void> {
  const kept = secret();
  if (kept !== null) await loadInfo(kept);
  else if (session.value.kind === 'signed-in') session.set({ kind: 'signed-out', problem: NOT_SIGNED_IN });
}

/** Signs in by a secret. False when it is not one of this fleet. Asks again while the server cannot be reached. */
async function loadInfo(given: string): Promise<boolean> {
  for (;;) {
    try {
      const headers = { Authorization: `Bearer ${given}` };
      const response = await fetch('/session', { headers, cache: 'no-store' });
      if (response.status >= 400 && response.status < 500 && response.status !== 429) {
        if (secret() === given) forgetSecret();
        const { message } = await ApiError.from(response);
        session.set({ kind: 'signed-out', ...(response.status === 401 ? {} : { problem: message }) });
        return false;
      }
      if (!response.ok) throw await ApiError.from(response);
      const info = (await response.json()) as SessionInfo;
      keepSecret(given);
      session.set({ kind: 'signed-in', info });
      return true;
    } catch (thrown) {
      session.set({ kind: 'loading', problem: `${messageOf(thrown)} Trying again…` });
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}
