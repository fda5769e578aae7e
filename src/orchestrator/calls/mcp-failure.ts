import type { FleetError } from '../../domain/values/errors.ts';
import type { JsonObject } from '../../wire/json-rpc.ts';

export const ERROR_META_KEY = 'fleet-mcp/error';

/** A failure as a result. Without structuredContent: clients check it against the output schema even then. */
export function failure(error: FleetError): JsonObject & { content: { type: 'text'; text: string }[] } {
  const body = error.toBody();
  return {
    isError: true,
    content: [{ type: 'text', text: JSON.stringify(body) }],
    _meta: { [ERROR_META_KEY]: body.error },
  };
}
