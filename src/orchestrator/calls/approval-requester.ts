import { createHash } from 'node:crypto';
import type { ApprovalAnswer, Decision, Question } from '../../domain/approvals/approval.ts';
import { FleetError } from '../../domain/values/errors.ts';
import { actorOf } from '../../domain/principal.ts';
import { isObject, type JsonObject } from '../../wire/json-rpc.ts';
import { isHeldState } from './held-calls.ts';
import { canElicit, type RelayClient } from './relay-client.ts';
import type { SignedState } from './signed-state.ts';

const WITHIN_MS = 60 * 60_000;
const KEY = 'approval';
/** A state that asks for the approval, and one that carries it from one question of the server to the next. */
const ASKS = 'fleet-approval:';
const APPROVED = 'fleet-approved:';
const OPTIONS = [
  { id: 'allow', name: 'Allow once', decision: 'allow' },
  { id: 'deny', name: 'Deny', decision: 'deny' },
] as const;

interface Call {
  readonly asked_by: string;
  readonly digest: string;
}

type Verdict =
  | { readonly state: 'allowed'; readonly answered_by: string; readonly answer: ApprovalAnswer }
  | { readonly state: 'denied'; readonly note: string | null }
  | { readonly state: 'open'; readonly approval: { readonly id: string } };

export interface ApprovalRequesterParts {
  /** False: no client's answer counts, only one that is given to the fleet itself. */
  asksClients(): boolean;
  readonly state: SignedState;
  /** Where calls wait whose client cannot be asked. */
  readonly approvals: {
    ask(call: Call, question: Question, within_ms: number): Verdict;
    /** Sends the event of a question that only the client's user can answer; returns its id. */
    announce(call: Call, question: Question): string;
    /** Closes the question about a call that the client's user decided. */
    settle(call: Call, decision: Decision, announced?: string): void;
    /** Ends an announced question that the client did not answer. */
    withdraw(announced: string, by: string): void;
  };
}

/** A call that may be made, with the parameters that the server gets. */
export interface Permit {
  readonly params: JsonObject;
  /** Replaces the state of a question of the server, so that the approval lasts until the call ends. */
  carry(result: JsonObject): JsonObject;
}

/** Has a person allow a call before it is made: by the client where it can ask one, else by a pending approval. */
export class ApprovalRequester {
  readonly #parts: ApprovalRequesterParts;

  constructor(parts: ApprovalRequesterParts) {
    this.#parts = parts;
  }

  /** The permit, or the question that the client is asked. Throws when the call may not be made. */
  async check(
    params: JsonObject,
    client: RelayClient,
    gated: boolean,
  ): Promise<Permit | { readonly question: JsonObject }> {
    const approved = stateAfter(APPROVED, params);
    const isAnswer = stateAfter(ASKS, params) !== undefined;
    if (!gated && approved === undefined && !isAnswer) return passed(params);
    const call = { asked_by: actorOf(client.caller).principal, digest: digestOf(params) };
    if (approved !== undefined) return this.#goOn(params, call, approved);
    const { requestState: _state, inputResponses: _responses, ...fresh } = params;
    // The rule is gone since the question was asked.
    if (!gated) return passed(fresh);
    const question = await this.#ask(params, client, call);
    return question === undefined ? this.#permit(fresh, call) : { question };
  }

  /** Undefined when the call is allowed. */
  async #ask(params: JsonObject, client: RelayClient, call: Call): Promise<JsonObject | undefined> {
    const question = questionOf(params);
    const { tool } = question;
    const asksClient = this.#parts.asksClients() && canElicit(client) && speaksForPerson(client);
    if (asksClient && client.era === 'modern') return this.#bySignedState(params, call);
    const { ask, signal } = client;
    if (asksClient && ask !== undefined) {
      return this.#byElicitation(call, question, () =>
        ask('elicitation/create', elicitation(params), signal),
      );
    }
    const verdict = this.#parts.approvals.ask(call, question, WITHIN_MS);
    if (verdict.state === 'allowed') return undefined;
    if (verdict.state === 'denied') throw denied(tool, verdict.note);
    const { id } = verdict.approval;
    throw new FleetError(
      'APPROVAL_REQUIRED',
      client.caller.door === 'cli'
        ? `The tool ${tool} needs an approval. Use --yes to approve this call yourself, or have it approved within the hour.`
        : `A person must allow ${tool} with these arguments: fleet approve ${id}. Then call it again.`,
      { id, tool },
    );
  }

  async #byElicitation(call: Call, question: Question, ask: () => Promise<unknown>): Promise<undefined> {
    const { approvals } = this.#parts;
    const announced = approvals.announce(call, question);
    let answer: unknown;
    try {
      answer = await ask();
    } catch (thrown) {
      approvals.withdraw(announced, call.asked_by);
      throw thrown;
    }
    return this.#decided(call, question.tool, { answer, announced });
  }

  #bySignedState(params: JsonObject, call: Call): JsonObject | undefined {
    const { requestState, inputResponses } = params;
    const { state, approvals } = this.#parts;
    const question = questionOf(params);
    if (typeof requestState !== 'string' || !isObject(inputResponses)) {
      const announced = approvals.announce(call, question);
      return {
        resultType: 'input_required',
        inputRequests: { [KEY]: { method: 'elicitation/create', params: elicitation(params) } },
        requestState: ASKS + state.sign(boundTo(ASKS, call), announced),
      };
    }
    const announced = state.redeem(stateAfter(ASKS, params) ?? '', boundTo(ASKS, call));
    return this.#decided(call, question.tool, { answer: inputResponses[KEY], announced });
  }

  /** The client answers a question of the server in a call that was allowed. */
  #goOn(params: JsonObject, call: Call, state: string): Permit {
    const carried: unknown = JSON.parse(this.#parts.state.redeem(state, boundTo(APPROVED, call)));
    const { requestState: _own, ...rest } = params;
    return this.#permit(isObject(carried) ? { ...rest, ...carried } : rest, call);
  }

  #permit(params: JsonObject, call: Call): Permit {
    const carry = (result: JsonObject): JsonObject => {
      const { resultType, requestState } = result;
      if (resultType !== 'input_required' || isHeldState(requestState)) return result;
      const carried = JSON.stringify({ requestState });
      return { ...result, requestState: APPROVED + this.#parts.state.sign(boundTo(APPROVED, call), carried) };
    };
    return { params, carry };
  }

  #decided(
    call: Call,
    tool: string,
    { answer, announced }: { answer: unknown; announced: string },
  ): undefined {
    const allowed = isAllowed(answer);
    // The state of an older version carries no id.
    this.#parts.approvals.settle(call, allowed ? 'allow' : 'deny', announced || undefined);
    if (!allowed) throw denied(tool, null);
  }
}

function questionOf({ name, arguments: input }: JsonObject): Question {
  return { kind: 'tool_call', tool: String(name), input: input ?? {}, options: OPTIONS };
}

/** An agent's own client is in the agent's hands, and a token without the scope approve was made for a program: an answer
 *  of either is not a person's. */
function speaksForPerson({ caller: { principal, scopes } }: RelayClient): boolean {
  return principal.kind !== 'agent' && (principal.kind !== 'token' || scopes.has('approve'));
}

/** What follows the prefix in the state of a call; undefined for another kind of state. */
function stateAfter(prefix: string, { requestState }: JsonObject): string | undefined {
  if (typeof requestState !== 'string' || !requestState.startsWith(prefix)) return undefined;
  return requestState.slice(prefix.length);
}

function boundTo(kind: string, { asked_by, digest }: Call): readonly string[] {
  return [kind, asked_by, digest];
}

function passed(params: JsonObject): Permit {
  return { params, carry: (result) => result };
}

/** The tool and its arguments, and nothing of how they were sent. */
function digestOf({ name, arguments: args }: JsonObject): string {
  return createHash('sha256')
    .update(JSON.stringify([name, sorted(args)]))
    .digest('hex');
}

/** Equal values have equal texts, in whatever order their keys came. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value ?? null;
  return Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, inner]) => [key, sorted(inner)]);
}

function elicitation({ name, arguments: args }: JsonObject): JsonObject {
  const shown = JSON.stringify(args ?? {}, null, 2);
  const cut = shown.length > 2_000 ? `${shown.slice(0, 2_000)}…` : shown;
  return {
    message: `Allow ${String(name)} once, with ${cut}?`,
    requestedSchema: {
      type: 'object',
      properties: { allow: { type: 'boolean', title: 'Allow it', default: false } },
      required: ['allow'],
    },
  };
}

function isAllowed(answer: unknown): boolean {
  if (!isObject(answer) || answer['action'] !== 'accept') return false;
  return isObject(answer['content']) && answer['content']['allow'] === true;
}

function denied(tool: string, note: string | null): FleetError {
  return new FleetError(
    'FORBIDDEN',
    `A person did not allow ${tool}${note === null ? '' : `: ${note}`}. Do not call it again unless you are asked to.`,
    { reason: 'approval_denied', tool },
  );
}
