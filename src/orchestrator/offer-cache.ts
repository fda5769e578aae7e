import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomic } from '../platform/write-file.ts';
import { isObject, type JsonObject } from './json-rpc.ts';
import { isOffer, NO_OFFERS, type Offer, type Offers } from './offers.ts';
import type { Era } from './protocol.ts';

/** What a server was the last time it was there. */
export interface LastKnown {
  readonly era: Era;
  readonly capabilities: JsonObject;
  readonly instructions: string | undefined;
  readonly offers: Offers;
}

/** Keeps what servers offered, so that a list is whole before any of them has started. */
export class OfferCache {
  readonly #directory: string;

  constructor(home: string) {
    this.#directory = join(home, 'tools', 'cache');
  }

  /** A file that is damaged is as good as none. */
  read(key: string): LastKnown | undefined {
    let value: unknown;
    try {
      value = JSON.parse(readFileSync(this.#file(key), 'utf8'));
    } catch {
      return undefined;
    }
    if (!isObject(value) || !isObject(value['offers'])) return undefined;
    const { era, capabilities, instructions, offers } = value;
    return {
      era: era === 'modern' ? 'modern' : 'legacy',
      capabilities: isObject(capabilities) ? capabilities : {},
      instructions: typeof instructions === 'string' ? instructions : undefined,
      offers: {
        ...NO_OFFERS,
        tools: offersIn(offers['tools']),
        resources: offersIn(offers['resources']),
        resourceTemplates: offersIn(offers['resourceTemplates']),
        prompts: offersIn(offers['prompts']),
      },
    };
  }

  /** A home that cannot be written to costs the next start a moment, and nothing else. */
  write(key: string, known: LastKnown): void {
    try {
      mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
      writeFileAtomic(this.#file(key), JSON.stringify(known));
    } catch {
      // The list of the next start waits for the servers.
    }
  }

  #file(key: string): string {
    return join(this.#directory, `${key}.json`);
  }
}

function offersIn(value: unknown): readonly Offer[] {
  return Array.isArray(value) ? value.filter(isOffer) : [];
}
