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

/** The person who answers for the session. */
export interface Approver {
  ask(question: ApprovalQuestion, signal: AbortSignal): Promise<ApprovalAnswer>;
}
