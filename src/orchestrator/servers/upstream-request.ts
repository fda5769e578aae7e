import type { JsonObject } from '../../wire/json-rpc.ts';

/** A request to an upstream server, with all that may happen until it is answered. */
export interface UpstreamRequest {
  readonly method: string;
  readonly params: JsonObject;
  /** The caller: questions of the server go to the caller that they belong to. */
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
