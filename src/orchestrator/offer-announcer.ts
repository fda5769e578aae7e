export type OfferChange = 'tools' | 'resources' | 'prompts';

/** Tells listeners which lists are other than they were. */
export class OfferAnnouncer {
  readonly #listeners = new Set<(change: OfferChange) => void>();
  readonly #told = new Map<OfferChange, string>();

  /** Returns the function that ends it. */
  subscribe(listener: (change: OfferChange) => void): () => void {
    // A function of its own for each subscription: one listener may subscribe twice.
    const own = (change: OfferChange): void => listener(change);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  /** What is offered now. */
  look(offered: Readonly<Record<OfferChange, unknown>>): void {
    for (const change of ['tools', 'resources', 'prompts'] as const) {
      const text = JSON.stringify(offered[change]);
      if (this.#told.get(change) === text) continue;
      this.#told.set(change, text);
      for (const listener of this.#listeners) listener(change);
    }
  }
}
