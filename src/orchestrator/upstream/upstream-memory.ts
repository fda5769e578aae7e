import type { Connection } from './connection.ts';
import type { McpConnection } from '../servers/mcp-connection.ts';
import type { LastKnown, OfferCache } from '../servers/offer-cache.ts';
import { listOffers, NO_OFFERS } from '../servers/offers.ts';
import type { Era } from '../servers/protocol.ts';

const NOTHING: LastKnown = { era: undefined, capabilities: {}, instructions: undefined, offers: NO_OFFERS };

/** What a server is and offers, or was when it was last there: kept on disk from one host to the next. */
export class UpstreamMemory {
  readonly #cache: OfferCache;
  readonly #key: string;
  /** True when there was something to remember. */
  readonly remembered: boolean;
  #said: LastKnown;
  #era: Era | undefined;

  constructor(cache: OfferCache, key: string) {
    this.#cache = cache;
    this.#key = key;
    const known = cache.read(key);
    this.remembered = known !== undefined;
    this.#said = known ?? NOTHING;
    this.#era = this.#said.era;
  }

  /** The era that the server is greeted in; undefined when it has to be found out. */
  get era(): Era | undefined {
    return this.#era;
  }

  /** What a server turned out not to speak is not tried first the next time. */
  assumeEra(era: Era | undefined): void {
    this.#era = era;
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

  /** Asks the server again. */
  async learn({ greeting, peer, prepare }: Connection, timeout_ms: number): Promise<void> {
    const { capabilities, era, isSure, instructions } = greeting;
    const offers = await listOffers(peer, { capabilities, timeout_ms, prepare });
    const said = { era, capabilities, instructions, offers };
    this.#said = said;
    this.#era = isSure ? era : undefined;
    this.#cache.write(this.#key, { ...said, era: this.#era });
  }
}
