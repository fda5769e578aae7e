import type { JsonObject } from '../../wire/json-rpc.ts';
import { portableOffers, type LeftOut } from './portable-offers.ts';
import type { RpcPeer } from '../../wire/rpc-peer.ts';

/** A thing that a server offers, as it said it: unknown members too. */
export interface Offer extends JsonObject {
  readonly name: string;
}

/** All that a server offers. */
export interface Offers {
  readonly tools: readonly Offer[];
  readonly resources: readonly Offer[];
  readonly resourceTemplates: readonly Offer[];
  readonly prompts: readonly Offer[];
  /** What is listed by the server and not offered. */
  readonly leftOut: readonly LeftOut[];
}

export const NO_OFFERS: Offers = {
  tools: [],
  resources: [],
  resourceTemplates: [],
  prompts: [],
  leftOut: [],
};

const LISTS = [
  { kind: 'tools', method: 'tools/list', capability: 'tools' },
  { kind: 'resources', method: 'resources/list', capability: 'resources' },
  { kind: 'resourceTemplates', method: 'resources/templates/list', capability: 'resources' },
  { kind: 'prompts', method: 'prompts/list', capability: 'prompts' },
] as const;

export type OfferKind = (typeof LISTS)[number]['kind'];

/** A server that never ends its list is asked for so many pages of it. */
const MOST_PAGES = 64;

export interface ListOptions {
  readonly capabilities: JsonObject;
  readonly timeout_ms: number;
  readonly prepare: (params: JsonObject) => JsonObject;
}

/** Asks for everything that a server says it has. Only its tools must be there. */
export async function listOffers(peer: RpcPeer, options: ListOptions): Promise<Offers> {
  const lists = await Promise.all(
    LISTS.filter(({ capability }) => options.capabilities[capability] !== undefined).map(
      async ({ kind, method }) => {
        const listed = listAll(peer, { kind, method }, options);
        return [kind, await (kind === 'tools' ? listed : listed.catch(() => []))] as const;
      },
    ),
  );
  return offersIn(Object.fromEntries(lists));
}

async function listAll(
  peer: RpcPeer,
  { kind, method }: { readonly kind: OfferKind; readonly method: string },
  { timeout_ms, prepare }: ListOptions,
): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  let cursor: unknown;
  for (let page = 0; page < MOST_PAGES; page++) {
    const params = prepare(cursor === undefined ? {} : { cursor });
    const answer = await peer.ask(method, params, { timeout_ms });
    const offered: unknown = answer[kind];
    if (!Array.isArray(offered)) throw new Error(`the answer to ${method} has no ${kind}`);
    found.push(...offered);
    cursor = answer['nextCursor'];
    if (typeof cursor !== 'string' || cursor === '') break;
  }
  return found;
}

/** What can be offered of lists as a server gave them, or as they were kept. */
export function offersIn(lists: Readonly<Partial<Record<OfferKind, unknown>>>): Offers {
  const found = LISTS.map(({ kind }) => {
    const listed: unknown = lists[kind];
    return { kind, ...portableOffers(kind, Array.isArray(listed) ? listed : []) };
  });
  return {
    ...NO_OFFERS,
    ...Object.fromEntries(found.map(({ kind, offers }) => [kind, offers])),
    leftOut: found.flatMap(({ leftOut }) => leftOut),
  };
}
