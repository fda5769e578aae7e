import type { JsonObject } from '../../wire/json-rpc.ts';

/** What happens while a message is answered, as it happens. */
export type RoundEvent =
  | { readonly type: 'thinking'; readonly text: string }
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'call';
      readonly id: string;
      readonly tool: string;
      readonly arguments: JsonObject;
    }
  | { readonly type: 'progress'; readonly id: string; readonly tool: string; readonly message: string }
  | {
      readonly type: 'result';
      readonly id: string;
      readonly tool: string;
      readonly failed: boolean;
      readonly took_ms: number;
      /** The beginning of the result. */
      readonly text: string;
    }
  /** Something that the person should know, in a sentence. */
  | { readonly type: 'notice'; readonly text: string };
