import { FleetError, quote } from '../../domain/values/errors.ts';
import type { Actor, Door } from '../../domain/principal.ts';

/** Checks of what crosses the runner's socket. By hand, because a schema library would double a runner's memory. */
export type Fields = Readonly<Record<string, unknown>>;

export function body(json: string): Fields {
  let value: unknown;
  try {
    value = JSON.parse(json === '' ? '{}' : json);
  } catch (cause) {
    throw new FleetError('INVALID_INPUT', 'The request body is not valid JSON.', {}, cause);
  }
  return object(value, 'body');
}

export function object(value: unknown, name: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw new FleetError('INVALID_INPUT', `"${name}" must be an object; got ${quote(value)}.`, { field: name });
}

export function text(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value === 'string' && value !== '') return value;
  throw new FleetError('INVALID_INPUT', `"${name}" must be a text; got ${quote(value)}.`, { field: name });
}

export function optionalText(fields: Fields, name: string): string | undefined {
  return fields[name] === undefined ? undefined : text(fields, name);
}

export function optionalTexts(fields: Fields, name: string): readonly string[] | undefined {
  const value = fields[name];
  if (value === undefined) return undefined;
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value;
  throw new FleetError('INVALID_INPUT', `"${name}" must be a list of texts; got ${quote(value)}.`, {
    field: name,
  });
}

export function textOrNull(fields: Fields, name: string): string | null {
  const value = fields[name];
  if (value === null || typeof value === 'string') return value;
  throw new FleetError('INVALID_INPUT', `"${name}" must be a text or null; got ${quote(value)}.`, {
    field: name,
  });
}

export function webAddress(fields: Fields, name: string): string | null {
  const value = textOrNull(fields, name);
  if (value === null || /^https?:\/\//i.test(value)) return value;
  throw new FleetError('INVALID_INPUT', `"${name}" must be an http or https address; got ${quote(value)}.`, {
    field: name,
  });
}

export function integer(fields: Fields, name: string): number {
  const value = fields[name];
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1) return value;
  throw new FleetError('INVALID_INPUT', `"${name}" must be a number from 1 on; got ${quote(value)}.`, {
    field: name,
  });
}

export function optionalCount(fields: Fields, name: string): number | undefined {
  const value = fields[name];
  if (value === undefined) return undefined;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw new FleetError('INVALID_INPUT', `"${name}" must be a number from 0 on; got ${quote(value)}.`, {
    field: name,
  });
}

export function oneOf<const Values extends readonly string[]>(
  values: Values,
  fields: Fields,
  name: string,
): Values[number] {
  const value = fields[name];
  const known = values.find((each) => each === value);
  if (known !== undefined) return known;
  throw new FleetError(
    'INVALID_INPUT',
    `"${name}" must be one of ${values.join(', ')}; got ${quote(value)}.`,
    {
      field: name,
    },
  );
}

const DOORS: readonly Door[] = ['cli', 'mcp-stdio', 'mcp-http', 'http', 'page', 'self', 'fleet'];

export function actor(fields: Fields): Actor {
  const by = object(fields['by'], 'by');
  return { principal: text(by, 'principal'), door: oneOf(DOORS, by, 'door') };
}
