import { FleetError } from '../../domain/values/errors.ts';
import type { TokenEntry, TokenStore } from './token-store.ts';

type LoadStore = () => Promise<Pick<TokenStore, 'list' | 'revoke'>>;

/** A token without its secret. */
export interface ShownToken extends Omit<TokenEntry, 'hash' | 'view'> {
  readonly view: string | null;
}

/** The tokens of a fleet besides its own. Inside an agent there are none to see. */
export class Tokens {
  readonly #load: LoadStore | undefined;

  constructor(load: LoadStore | undefined) {
    this.#load = load;
  }

  async list(): Promise<readonly ShownToken[]> {
    const entries = (await this.#store()).list();
    return entries
      .map(({ hash: _hash, view, ...entry }) => ({ ...entry, view: view ?? null }))
      .toSorted((a, b) => a.name.localeCompare(b.name, 'en'));
  }

  async revoke(name: string): Promise<void> {
    (await this.#store()).revoke(name);
  }

  async #store(): Promise<Pick<TokenStore, 'list' | 'revoke'>> {
    if (this.#load !== undefined) return this.#load();
    throw new FleetError('SERVICE_UNAVAILABLE', 'The tokens of this fleet are not available here.');
  }
}
