import type { JsonObject } from '../../wire/json-rpc.ts';

export interface ApprovalQuestion {
  readonly tool: string;
  readonly arguments: JsonObject;
  /** What the call would do, in sentences. */
  readonly effect: readonly string[];
  /** True: an approval that was given in advance does not count. */
  readonly unusual: boolean;
}

export type ApprovalAnswer =
  | { readonly allowed: true }
  /** The reason is for the model as well. */
  | { readonly allowed: false; readonly reason: string };

/** What an MCP server asks its user while one of its tools is called. */
export interface ServerQuestion {
  readonly tool: string;
  /** Names the server that asks. */
  readonly message: string;
  /** The JSON schema of a form; undefined for a question that a plain yes answers. */
  readonly schema: unknown;
}

export type ServerAnswer =
  | { readonly action: 'accept'; readonly content: JsonObject }
  /** The reason is for the model as well. `unasked`: no person has seen the question. */
  | { readonly action: 'decline'; readonly reason: string; readonly unasked: boolean };

/** The person who answers for the session. */
export interface Approver {
  ask(question: ApprovalQuestion, signal: AbortSignal): Promise<ApprovalAnswer>;
  answer(question: ServerQuestion, signal: AbortSignal): Promise<ServerAnswer>;
}
