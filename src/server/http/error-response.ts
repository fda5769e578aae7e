import { ERROR_TABLE, type FleetError } from '../../domain/values/errors.ts';

/** The one place where a failure becomes an HTTP answer. */
export function errorResponse(error: FleetError): Response {
  return Response.json(error.toBody(), {
    status: ERROR_TABLE[error.code].http,
    headers: {
      'Cache-Control': 'no-store',
      ...(error.code === 'UNAUTHORIZED' ? { 'WWW-Authenticate': 'Bearer realm="fleet"' } : {}),
      ...(error.code === 'RATE_LIMITED' ? { 'Retry-After': '1' } : {}),
    },
  });
}
