import type { Scope } from '../../../src/domain/principal.ts';
import type { Answer, Input, OperationName } from '../../../src/operations/table.ts';
import { ApiError } from './api-error.ts';
import { request } from './request.ts';

interface Route {
  readonly method: string;
  readonly path: string;
  readonly scopes: readonly Scope[];
}

/** scripts/build-page.ts puts in where each operation is, from the table of operations. */
declare const FLEET_ROUTES: Readonly<Record<OperationName, Route>>;

/** Calls an operation of the fleet. Fails with ApiError. */
export async function call<Name extends OperationName>(
  name: Name,
  input: Input<Name>,
  signal?: AbortSignal,
): Promise<Answer<Name>> {
  const { method, path } = FLEET_ROUTES[name];
  const rest: Record<string, unknown> = { ...input };
  const place = path.replaceAll(/\{(\w+)\}/g, (_: string, field: string) => {
    const value = rest[field];
    delete rest[field];
    return encodeURIComponent(String(value));
  });
  const hasBody = method === 'POST' || method === 'PUT';
  const response = await request(`/api/v1${place}${hasBody ? '' : queryOf(rest)}`, {
    method,
    signal: signal ?? null,
    ...(hasBody ? { body: JSON.stringify(rest), headers: { 'Content-Type': 'application/json' } } : {}),
  });
  if (!response.ok) throw await ApiError.from(response);
  // The server checks every answer against the schema that this type comes from.
  return (await response.json()) as Answer<Name>;
}

/** Whether a caller with these scopes may call an operation. */
export function may(scopes: readonly string[], name: OperationName): boolean {
  return FLEET_ROUTES[name].scopes.some((scope) => scopes.includes(scope));
}

function queryOf(input: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(input)) {
    if (value === undefined || value === null) continue;
    for (const each of Array.isArray(value) ? value : [value]) query.append(name, String(each));
  }
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}
