import type { Connection } from './connection.ts';
import type { McpConnection } from './mcp-connection.ts';
import type { LastKnown, OfferCache } from './offer-cache.ts';
import { listOffers, NO_OFFERS } from './offers.ts';
import type { Era } from './protocol.ts';

type Said = Omit<LastKnown, 'era'> & { readonly era: Era | undefined };

const NOTHING: Said = { era: undefined, capabilities: {}, instructions: undefined, offers: NO_OFFERS };

/** What a server is and offers, or was when it was last there: kept on disk from one host to the next. */
export class UpstreamMemory {
  readonly #cache: OfferCache;
  readonly #key: string;
  /** True when there was something to remember. */
  readonly remembered: boolean;
  #said: Said;

  constructor(cache: OfferCache, key: string) {
    this.#cache = cache;
    this.#key = key;
    const known = cache.read(key);
    this.remembered = known !== undefined;
    this.#said = known ?? NOTHING;
  }

  get era(): Era | undefined {
    return this.#said.era;
  }

  /** What a server turned out not to speak is not tried first the next time. */
  assumeEra(era: Era | undefined): void {
    this.#said = { ...this.#said, era };
  }

  get shown(): Pick<McpConnection, keyof typeof NO_OFFERS | 'capabilities' | 'instructions' | 'era'> {
    const { offers, capabilities, instructions, era } = this.#said;
    return {
      ...offers,
      capabilities,
      ...(instructions === undefined ? {} : { instructions }),
      ...(era === undefined ? {} : { era }),
    };
  }

  /** Asks the server anew. */
  async learn({ greeting, peer, prepare }: Connection, timeout_ms: number): Promise<void> {
    const { capabilities, era, instructions } = greeting;
    const offers = await listOffers(peer, { capabilities, timeout_ms, prepare });
    const said = { era, capabilities, instructions, offers };
    this.#said = said;
    this.#cache.write(this.#key, said);
  }
}
