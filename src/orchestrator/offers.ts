import { isObject, type JsonObject } from './json-rpc.ts';
import type { RpcPeer } from './rpc-peer.ts';

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
}

export const NO_OFFERS: Offers = { tools: [], resources: [], resourceTemplates: [], prompts: [] };

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
  return { ...NO_OFFERS, ...Object.fromEntries(lists) };
}

async function listAll(
  peer: RpcPeer,
  { kind, method }: { readonly kind: OfferKind; readonly method: string },
  { timeout_ms, prepare }: ListOptions,
): Promise<readonly Offer[]> {
  const found: Offer[] = [];
  let cursor: unknown;
  for (let page = 0; page < MOST_PAGES; page++) {
    const params = prepare(cursor === undefined ? {} : { cursor });
    const answer = await peer.ask(method, params, { timeout_ms });
    const offered: unknown = answer[kind];
    if (!Array.isArray(offered)) throw new Error(`the answer to ${method} has no ${kind}`);
    found.push(...offered.filter(isOffer));
    cursor = answer['nextCursor'];
    if (typeof cursor !== 'string' || cursor === '') break;
  }
  return found;
}

export function isOffer(value: unknown): value is Offer {
  return isObject(value) && typeof value['name'] === 'string';
}
