import type { Caller } from '../../domain/principal.ts';
import { isObject, type JsonObject } from '../../wire/json-rpc.ts';
import type { Era } from '../servers/protocol.ts';

/** The client of a call, for as long as the call runs. */
export interface RelayClient {
  readonly caller: Caller;
  readonly era: Era;
  readonly capabilities: JsonObject;
  /** Ends the call. */
  readonly signal: AbortSignal;
  /** Of what is logged while its call runs it wants this and what is more important; without it nothing. */
  readonly logLevel?: string;
  tell(method: string, params: JsonObject): void;
  /** Puts a question to the client while its call runs: only in the old era. */
  ask?(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject>;
}

/** True when the client has a person who can be asked. */
export function canElicit({ capabilities }: Pick<RelayClient, 'capabilities'>): boolean {
  return isObject(capabilities['elicitation']);
}

const ABILITIES: Readonly<Record<string, string>> = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
};

/** True when the client said that it can answer such a question. */
export function canAnswer({ capabilities }: Pick<RelayClient, 'capabilities'>, method: string): boolean {
  return isObject(capabilities[ABILITIES[method] ?? '']);
}
