import { isObject, type JsonObject } from '../../wire/json-rpc.ts';
import { portable, toolProblem } from './portable-tool.ts';
import type { Offer, OfferKind } from './offers.ts';

/** Something that a server lists and that is not offered. */
export interface LeftOut {
  readonly kind: OfferKind;
  readonly name: string;
  readonly reason: string;
}

export interface PortableOffers {
  readonly offers: readonly Offer[];
  readonly leftOut: readonly LeftOut[];
}

/** Clients validate a list as a whole: one definition that they do not accept takes all of them away. */
export function portableOffers(kind: OfferKind, listed: readonly unknown[]): PortableOffers {
  const offers: Offer[] = [];
  const leftOut: LeftOut[] = [];
  for (const [index, value] of listed.entries()) {
    const offer = isObject(value) ? withoutNulls(value) : {};
    const reason = isObject(value) ? problemOf(kind, offer) : 'it is not an object';
    if (reason === undefined && isNamed(offer)) offers.push(kind === 'tools' ? portable(offer) : offer);
    else
      leftOut.push({ kind, name: isNamed(offer) ? offer.name : `number ${index + 1}`, reason: reason ?? '' });
  }
  return { offers, leftOut };
}

/** Null stands for a member that is not there. */
function withoutNulls(offer: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(offer).filter(([, value]) => value !== null));
}

function problemOf(kind: OfferKind, offer: JsonObject): string | undefined {
  if (!isNamed(offer)) return 'its name is not a text';
  const { title, description, icons, _meta } = offer;
  for (const [key, text] of Object.entries({ title, description })) {
    if (text !== undefined && typeof text !== 'string') return `its ${key} is not a text`;
  }
  if (icons !== undefined && !(Array.isArray(icons) && icons.every(isIcon))) return 'its icons are malformed';
  if (_meta !== undefined && !isObject(_meta)) return 'its _meta is not an object';
  return PROBLEMS[kind](offer);
}

const PROBLEMS: Readonly<Record<OfferKind, (offer: JsonObject) => string | undefined>> = {
  tools: toolProblem,
  resources: (offer) => resourceProblem(offer, 'uri'),
  resourceTemplates: (offer) => resourceProblem(offer, 'uriTemplate'),
  prompts: ({ arguments: args }) =>
    args === undefined || (Array.isArray(args) && args.every(isArgument))
      ? undefined
      : 'its arguments are malformed',
};

function resourceProblem(offer: JsonObject, address: 'uri' | 'uriTemplate'): string | undefined {
  const { mimeType, size, annotations } = offer;
  if (typeof offer[address] !== 'string') return `its ${address} is not a text`;
  if (mimeType !== undefined && typeof mimeType !== 'string') return 'its mimeType is not a text';
  if (size !== undefined && typeof size !== 'number') return 'its size is not a number';
  return annotations === undefined || areAnnotations(annotations)
    ? undefined
    : 'its annotations are malformed';
}

const ROLES: readonly unknown[] = ['user', 'assistant'];
const ISO_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/;

function areAnnotations(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { audience, priority, lastModified } = value;
  return (
    (audience === undefined || (Array.isArray(audience) && audience.every((each) => ROLES.includes(each)))) &&
    (priority === undefined || (typeof priority === 'number' && priority >= 0 && priority <= 1)) &&
    (lastModified === undefined || (typeof lastModified === 'string' && ISO_TIME.test(lastModified)))
  );
}

function isArgument(value: unknown): boolean {
  if (!isObject(value) || typeof value['name'] !== 'string') return false;
  const { title, description, required } = value;
  return (
    isTextOrNone(title) &&
    isTextOrNone(description) &&
    (required === undefined || typeof required === 'boolean')
  );
}

function isIcon(value: unknown): boolean {
  if (!isObject(value) || typeof value['src'] !== 'string') return false;
  const { mimeType, sizes, theme } = value;
  return (
    isTextOrNone(mimeType) &&
    (sizes === undefined || (Array.isArray(sizes) && sizes.every((each) => typeof each === 'string'))) &&
    [undefined, 'light', 'dark'].some((each) => each === theme)
  );
}

function isNamed(offer: JsonObject): offer is Offer {
  return typeof offer['name'] === 'string' && offer['name'] !== '';
}

function isTextOrNone(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}
