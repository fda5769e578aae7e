import type { JsonObject } from '../../wire/json-rpc.ts';

/** A call of a tool, as the model made it. */
export interface ModelCall {
  readonly id: string;
  readonly tool: string;
  /** An object, or the text that should have been one. */
  readonly arguments: unknown;
}

export type ModelMessage =
  | { readonly role: 'system'; readonly text: string }
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly calls: readonly ModelCall[] }
  | {
      readonly role: 'tool';
      readonly call_id: string;
      readonly tool: string;
      readonly text: string;
      readonly failed: boolean;
    };

export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** A JSON Schema of type object. */
  readonly parameters: JsonObject;
}

/** What the model server counted; null where it did not say. */
export interface Usage {
  readonly prompt: number | null;
  readonly answer: number | null;
}

export type ModelEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly text: string }
  | { readonly type: 'call'; readonly call: ModelCall }
  /** The last one. `length`: the answer was cut off at the limit of tokens. */
  | { readonly type: 'end'; readonly reason: 'stop' | 'length'; readonly usage: Usage };

export interface ModelRequest {
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
  /** Tokens that the model server has to make room for. */
  readonly window: number;
  /** Tokens that the answer may have. */
  readonly answer: number;
}

/** What is known of the model before anything is sent to it. */
export interface ModelFacts {
  readonly name: string;
  /** False: the model cannot call tools. */
  readonly tools: boolean;
  readonly thinks: boolean;
  /** The longest context that the model was trained for; null when its server does not say. */
  readonly trained_window: number | null;
  /** Memory for each token of the context; null when it is not this machine's. */
  readonly bytes_per_token: number | null;
  /** Memory that the model itself takes. */
  readonly bytes: number;
  /** Memory of the models that the server has loaded now, this one included. It gives back what it needs for another. */
  readonly loaded: LoadedMemory;
}

export interface LoadedMemory {
  /** Bytes of the machine's memory. */
  readonly main: number;
  /** Bytes of the memory of graphics cards. */
  readonly graphics: number;
}

/** Progress of a download, in words and in bytes. */
export interface PullProgress {
  readonly status: string;
  readonly total: number | null;
  readonly completed: number | null;
}

/** One model of one server, whatever API the server has. */
export interface Model {
  /** Where its server is, for messages. */
  readonly url: string;
  /** Checks the server, then the model. OLLAMA_UNAVAILABLE or MODEL_NOT_FOUND when one of them is missing. */
  check(signal: AbortSignal): Promise<ModelFacts>;
  /** Streams one answer. It ends with an `end` event, or fails with INVALID_RESPONSE or NETWORK_TIMEOUT. */
  answer(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
  /** Downloads the model, where the server can do that. */
  pull?(signal: AbortSignal): AsyncIterable<PullProgress>;
}
