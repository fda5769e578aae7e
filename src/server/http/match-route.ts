import { FleetError, quote } from '../../domain/values/errors.ts';
import type { Operation } from '../../operations/operation.ts';
import { OPERATIONS } from '../../operations/table.ts';

export interface MatchedRoute {
  readonly operation: Operation;
  /** Inputs that are part of the path. */
  readonly params: Readonly<Record<string, string>>;
}

/** The operation at a path under /api/v1; NOT_FOUND when there is none, with the methods when others are. */
export function matchRoute(method: string, path: string): MatchedRoute {
  const segments = path.split('/').map(decode);
  const there = OPERATIONS.flatMap((operation) => {
    const params = paramsOf(operation.route.path, segments);
    return params === undefined ? [] : [{ operation, params }];
  });
  const match = there.find(({ operation }) => operation.route.method === method);
  if (match !== undefined) return match;
  throw noRoute(
    method,
    `/api/v1${path}`,
    there.map(({ operation }) => operation.route.method),
  );
}

export function noRoute(method: string, path: string, allowed: readonly string[]): FleetError {
  return allowed.length === 0
    ? new FleetError('NOT_FOUND', `There is nothing at ${quote(path)}. /api/openapi.json lists the routes.`)
    : new FleetError(
        'NOT_FOUND',
        `${quote(path)} does not support ${method}. It supports: ${allowed.join(', ')}.`,
        {
          reason: 'method_not_allowed',
          allowed_methods: allowed,
        },
      );
}

function paramsOf(pattern: string, segments: readonly string[]): Record<string, string> | undefined {
  const parts = pattern.split('/');
  if (parts.length !== segments.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of parts.entries()) {
    const segment = segments[index] ?? '';
    const [, name] = /^\{(\w+)\}$/.exec(part) ?? [];
    if (name === undefined ? part !== segment : segment === '') return undefined;
    if (name !== undefined) params[name] = segment;
  }
  return params;
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch (cause) {
    throw new FleetError(
      'INVALID_INPUT',
      `The path has a malformed percent-encoding in ${quote(segment)}.`,
      {},
      cause,
    );
  }
}
