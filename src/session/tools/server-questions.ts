import type { JsonObject } from '../../wire/json-rpc.ts';
import { RpcError } from '../../wire/rpc-error.ts';
import type { ApprovalQuestion, Approver, ServerQuestion } from './approver.ts';

const NOT_SUPPORTED = -32_601;

export interface AskedCall extends Pick<ApprovalQuestion, 'tool' | 'arguments' | 'unusual'> {
  /** True when the person has allowed this very call. */
  readonly allowed: boolean;
  readonly approver: Approver;
}

/** Puts the questions that come up during one call to the person. Disposing of it withdraws an open one. */
export class ServerQuestions implements Disposable {
  readonly #call: AskedCall;
  readonly #over = new AbortController();
  /** Why questions were not answered, in sentences. */
  readonly notes: string[] = [];

  constructor(call: AskedCall) {
    this.#call = call;
  }

  async ask(method: string, params: JsonObject, asking: AbortSignal): Promise<JsonObject> {
    if (method !== 'elicitation/create') {
      throw new RpcError(NOT_SUPPORTED, `the client does not support ${method}`);
    }
    const signal = AbortSignal.any([asking, this.#over.signal]);
    const { tool, approver } = this.#call;
    const { message } = params;
    // Only the gate's own question begins with "Allow": one of a server begins with the name of its server.
    if (typeof message === 'string' && message.startsWith('Allow ')) return await this.#gate(signal);
    const text = typeof message === 'string' ? message : `${tool} asks its user:`;
    const answer = await approver.answer({ tool, ...questionOf(text, params) }, signal);
    if (answer.action === 'decline') {
      this.notes.push(answer.reason);
      return { action: 'decline' };
    }
    return isForm(params) ? { action: 'accept', content: answer.content } : { action: 'accept' };
  }

  [Symbol.dispose](): void {
    this.#over.abort();
  }

  /** A tool may need an approval that did not need one when the call was checked. */
  async #gate(signal: AbortSignal): Promise<JsonObject> {
    const { tool, arguments: args, unusual, allowed, approver } = this.#call;
    const answer = allowed
      ? ({ allowed } as const)
      : await approver.ask({ tool, arguments: args, effect: [], unusual }, signal);
    if (!answer.allowed) this.notes.push(answer.reason);
    return answer.allowed ? { action: 'accept', content: { allow: true } } : { action: 'decline' };
  }
}

/** A question without a form asks the person to open an address. */
function questionOf(message: string, params: JsonObject): Omit<ServerQuestion, 'tool'> {
  if (isForm(params)) return { message, schema: params['requestedSchema'] };
  return {
    message: `${message}\nOpen this address, then answer yes: ${String(params['url'])}`,
    schema: undefined,
  };
}

function isForm({ mode }: JsonObject): boolean {
  return mode !== 'url';
}
