import type { Caller } from '../../domain/principal.ts';
import { FleetError, quote } from '../../domain/values/errors.ts';
import type { BrowserSession, SessionStore } from './session-store.ts';

type LoadStore = () => Promise<Pick<SessionStore, 'list' | 'end'>>;

/** The browsers that are signed in to a fleet. Inside an agent there are none to see. */
export class BrowserSessions {
  readonly #load: LoadStore | undefined;

  constructor(load: LoadStore | undefined) {
    this.#load = load;
  }

  async list({ session }: Caller): Promise<readonly (BrowserSession & { readonly current: boolean })[]> {
    const store = await this.#store();
    return store.list().map((each) => ({ ...each, current: each.id === session }));
  }

  async end(id: string): Promise<void> {
    const store = await this.#store();
    if (store.end(id)) return;
    throw new FleetError(
      'NOT_FOUND',
      `There is no browser session ${quote(id)}. list_browser_sessions has all.`,
      {
        field: 'id',
      },
    );
  }

  async #store(): Promise<Pick<SessionStore, 'list' | 'end'>> {
    if (this.#load !== undefined) return this.#load();
    throw new FleetError('SERVICE_UNAVAILABLE', 'The browser sessions of this fleet are not available here.');
  }
}
