import type { JsonObject } from './json-rpc.ts';

/** A request to an upstream server, with all that may happen until it is answered. */
export interface UpstreamRequest {
  readonly method: string;
  readonly params: JsonObject;
  /** Who asks: questions that the server has are put to whoever they belong to. */
  readonly owner: string;
  readonly signal?: AbortSignal;
  /** True when doing it twice is the same as doing it once. */
  readonly repeatable?: boolean;
  readonly onProgress?: (params: JsonObject) => void;
  /** Told what the server logs meanwhile. */
  readonly onLog?: (params: JsonObject) => void;
  /** Answers a question of the server: an elicitation, a sampling, its roots. */
  readonly onQuestion?: (method: string, params: JsonObject, signal: AbortSignal) => Promise<JsonObject>;
}
