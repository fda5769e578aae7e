import { metaOf, type JsonObject } from '../../wire/json-rpc.ts';
import { CAPABILITIES_META, LOG_LEVEL_META, SERVER_META } from '../servers/protocol.ts';
import { CONTRACT_VERSION } from '../../platform/package.ts';
import type { RelayClient } from './relay-client.ts';

const SERVER_INFO = { name: 'fleet-mcp', title: 'Fleet', version: CONTRACT_VERSION };

/** What the client said of itself in the new era is for us; its progress is told under a token of ours. */
export function forUpstream(params: JsonObject, { capabilities, era, logLevel }: RelayClient): JsonObject {
  const said = metaOf(params);
  const meta: Record<string, unknown> = {};
  for (const key of Object.keys(said)) {
    if (key === LOG_LEVEL_META || (key !== 'progressToken' && !key.startsWith('io.modelcontextprotocol/')))
      meta[key] = said[key];
  }
  // A client of the old era said once for all what one of the new era says with each call.
  meta[CAPABILITIES_META] = capabilities;
  if (era !== 'modern' && logLevel !== undefined) meta[LOG_LEVEL_META] = logLevel;
  return { ...params, _meta: meta };
}

/** An answer says who gave it; here that is the fleet. */
export function forClient(result: JsonObject, { era }: RelayClient): JsonObject {
  if (era === 'modern') {
    const meta = { ...metaOf(result), [SERVER_META]: SERVER_INFO };
    return { resultType: 'complete', ...result, _meta: meta };
  }
  const { resultType: _type, ...rest } = result;
  const meta = metaOf(rest);
  if (meta[SERVER_META] === undefined) return rest;
  const { [SERVER_META]: _server, ...others } = meta;
  return { ...rest, _meta: others };
}
