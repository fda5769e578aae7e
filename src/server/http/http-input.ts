import { isJsonContentType, readRequestBody } from '@modelcontextprotocol/server';
import { FleetError, quote } from '../../domain/values/errors.ts';
import type { MatchedRoute } from './match-route.ts';
import { schemasOf, type PropertySchema } from '../../operations/operation-schemas.ts';

export const BODY_LIMIT = 4 * 1024 * 1024;

/** The input of an operation, from a request's path, query and body. The operation itself checks the values. */
export async function inputOf(request: Request, route: MatchedRoute): Promise<Record<string, unknown>> {
  const { params } = route;
  const query = queryOf(request, route);
  const body = await bodyOf(request);
  // A map, because "__proto__" is a name like any other here.
  const input = new Map<string, unknown>(Object.entries(params));
  for (const [name, value] of [...Object.entries(query), ...Object.entries(body)]) {
    const known = input.get(name);
    if (input.has(name) && value === null) continue;
    if (input.has(name) && known !== value) {
      throw new FleetError(
        'INVALID_INPUT',
        `The input ${quote(name)} is given twice, as ${quote(known)} and as ${quote(value)}. Give it once.`,
        { field: name },
      );
    }
    input.set(name, value);
  }
  return Object.fromEntries(input);
}

function queryOf(request: Request, { operation }: MatchedRoute): Record<string, unknown> {
  const { properties } = schemasOf(operation).input;
  const query = parseQuery(request, (name) => Object.hasOwn(properties, name) && takesList(properties[name]));
  const { method } = operation.route;
  const [first] = Object.keys(query);
  if (first !== undefined && method !== 'GET' && method !== 'DELETE') {
    throw new FleetError(
      'INVALID_INPUT',
      `${operation.name} takes its inputs in a JSON body, not in the query (${quote(first)}).`,
      { field: first },
    );
  }
  return Object.fromEntries(
    Object.entries(query).map(([name, text]) => [
      name,
      typed(text, Object.hasOwn(properties, name) ? properties[name] : undefined),
    ]),
  );
}

/** The query of a request, each parameter at most once unless it takes a list. */
export function parseQuery(
  request: Request,
  isList: (name: string) => boolean = () => false,
): Record<string, string> {
  const { search, searchParams } = new URL(request.url);
  try {
    decodeURIComponent(search.replaceAll('+', ' '));
  } catch (cause) {
    throw new FleetError('INVALID_INPUT', 'The query has a malformed percent-encoding.', {}, cause);
  }
  const query = new Map<string, string>();
  for (const [name, text] of searchParams) {
    const before = query.get(name);
    if (before !== undefined && !isList(name)) {
      throw new FleetError('INVALID_INPUT', `The parameter ${quote(name)} is given more than once.`, {
        field: name,
      });
    }
    query.set(name, before === undefined ? text : `${before},${text}`);
  }
  return Object.fromEntries(query);
}

/** True for an input that takes a list beside a text with commas. */
function takesList(schema: PropertySchema | undefined): boolean {
  const options = schema?.['anyOf'];
  return (
    Array.isArray(options) &&
    options.some((option) => typeof option === 'object' && JSON.stringify(option).includes('"array"'))
  );
}

/** A text as the type that the schema wants, when it is one; what is wrong is left for the schema to say. */
function typed(text: string, schema: PropertySchema | undefined): unknown {
  const type = schema?.['type'];
  if ((type === 'integer' || type === 'number') && /^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

/** The JSON object that a request carries; an empty one where it carries nothing. */
export async function bodyOf(request: Request): Promise<object> {
  if (request.method === 'GET' || request.method === 'HEAD') return {};
  const body = await readRequestBody(request, BODY_LIMIT);
  if (body.tooLarge) {
    throw new FleetError('TOO_LARGE', `The request body is larger than ${BODY_LIMIT} bytes.`, {
      limit: BODY_LIMIT,
    });
  }
  if (body.text === '') return {};
  const type = request.headers.get('content-type');
  if (!isJsonContentType(type)) {
    throw new FleetError(
      'INVALID_INPUT',
      `The request body must be application/json; got ${quote(type ?? 'no Content-Type')}.`,
      {
        reason: 'content_type',
      },
    );
  }
  const value = parseJson(body.text) ?? {};
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new FleetError('INVALID_INPUT', `The request body must be a JSON object; got ${quote(value)}.`);
  }
  return value;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new FleetError(
      'INVALID_INPUT',
      `The request body is not valid JSON: ${quote(why)}.`,
      { reason: 'malformed_json' },
      cause,
    );
  }
}
