import { metaOf, type JsonObject } from '../../wire/json-rpc.ts';

/** Of 2026-07-28 and later each request says everything itself; before that a handshake did. */
export type Era = 'modern' | 'legacy';

export const MODERN_VERSION = '2026-07-28';
export const LEGACY_VERSION = '2025-11-25';

export const PROTOCOL_META = 'io.modelcontextprotocol/protocolVersion';
export const CLIENT_META = 'io.modelcontextprotocol/clientInfo';
export const CAPABILITIES_META = 'io.modelcontextprotocol/clientCapabilities';
export const LOG_LEVEL_META = 'io.modelcontextprotocol/logLevel';
export const SERVER_META = 'io.modelcontextprotocol/serverInfo';

export function isModern(version: string): boolean {
  return version >= MODERN_VERSION;
}

/** What is said of the one who asks, in every request of the new era. */
export function withEnvelope(
  params: JsonObject,
  { name, version, capabilities }: { name: string; version: string; capabilities: JsonObject },
): JsonObject {
  return {
    ...params,
    _meta: {
      ...metaOf(params),
      [PROTOCOL_META]: MODERN_VERSION,
      [CLIENT_META]: { name, version },
      [CAPABILITIES_META]: capabilities,
    },
  };
}
