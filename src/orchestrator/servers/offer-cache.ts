import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomic } from '../../platform/write-file.ts';
import { isObject, type JsonObject } from '../../wire/json-rpc.ts';
import { offersIn, type Offers } from './offers.ts';
import type { LeftOut } from './portable-offers.ts';
import type { Era } from './protocol.ts';

/** What a server was the last time it was there. */
export interface LastKnown {
  /** Undefined when it is not sure: a server that started slowly may speak the new era too. */
  readonly era: Era | undefined;
  readonly capabilities: JsonObject;
  readonly instructions: string | undefined;
  readonly offers: Offers;
}

/** A file of an older form may say legacy of a server that was only slow. */
const FORM = 2;

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
    const sound = offersIn(offers);
    return {
      era: era === 'modern' || (era === 'legacy' && value['form'] === FORM) ? era : undefined,
      capabilities: isObject(capabilities) ? capabilities : {},
      instructions: typeof instructions === 'string' ? instructions : undefined,
      offers: { ...sound, leftOut: [...sound.leftOut, ...leftOutIn(offers['leftOut'])] },
    };
  }

  /** A home that cannot be written to costs the next start a moment, and nothing else. */
  write(key: string, known: LastKnown): void {
    try {
      mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
      writeFileAtomic(this.#file(key), JSON.stringify({ ...known, form: FORM }));
    } catch {
      // The list of the next start waits for the servers.
    }
  }

  #file(key: string): string {
    return join(this.#directory, `${key}.json`);
  }
}

function leftOutIn(value: unknown): readonly LeftOut[] {
  return Array.isArray(value) ? value.filter(isLeftOut) : [];
}

function isLeftOut(value: unknown): value is LeftOut {
  return isObject(value) && ['kind', 'name', 'reason'].every((key) => typeof value[key] === 'string');
}
