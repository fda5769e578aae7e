import { createHash } from 'node:crypto';
import type { Decision, Question } from '../domain/approval.ts';
import { FleetError } from '../domain/errors.ts';
import { actorOf } from '../domain/principal.ts';
import { isObject, type JsonObject } from '../orchestrator/json-rpc.ts';
import { canElicit, type RelayClient } from './relay-client.ts';
import type { SignedState } from './signed-state.ts';

const WITHIN_MS = 60 * 60_000;
const KEY = 'approval';
const OPTIONS = [
  { id: 'allow', name: 'Allow once', decision: 'allow' },
  { id: 'deny', name: 'Deny', decision: 'deny' },
] as const;

interface Call {
  readonly asked_by: string;
  readonly digest: string;
}

type Verdict =
  | { readonly state: 'allowed'; readonly answered_by: string }
  | { readonly state: 'denied'; readonly note: string | null }
  | { readonly state: 'open'; readonly approval: { readonly id: string } };

export interface ApprovalDeskParts {
  /** False: no client's answer counts, only one that is given to the fleet itself. */
  asksClients(): boolean;
  readonly state: SignedState;
  /** Where calls wait whose client cannot be asked. */
  readonly book: {
    ask(call: Call, question: Question, within_ms: number): Verdict;
    /** Closes the question about a call that its client's person decided. */
    settle(call: Call, decision: Decision): void;
  };
}

/** Has a person allow a call before it is made: by the client where it can ask one, else by an approval that waits. */
export class ApprovalDesk {
  readonly #parts: ApprovalDeskParts;

  constructor(parts: ApprovalDeskParts) {
    this.#parts = parts;
  }

  /** Undefined when the call may be made; else what the client is asked. Throws when it may not. */
  async check(params: JsonObject, client: RelayClient): Promise<JsonObject | undefined> {
    const tool = String(params['name']);
    const call = { asked_by: actorOf(client.caller).principal, digest: digestOf(params) };
    // An agent's own client is in the agent's hands: its answer is not a person's.
    const asksClient =
      canElicit(client) && client.caller.principal.kind !== 'agent' && this.#parts.asksClients();
    if (asksClient && client.era === 'modern') return this.#bySignedState(params, call);
    if (asksClient && client.ask !== undefined) {
      const answer = await client.ask('elicitation/create', elicitation(params), client.signal);
      return this.#decided(call, tool, answer);
    }
    const question: Question = {
      kind: 'tool_call',
      tool,
      input: params['arguments'] ?? {},
      options: OPTIONS,
    };
    const verdict = this.#parts.book.ask(call, question, WITHIN_MS);
    if (verdict.state === 'allowed') return undefined;
    if (verdict.state === 'denied') throw denied(tool, verdict.note);
    const { id } = verdict.approval;
    throw new FleetError(
      'APPROVAL_REQUIRED',
      client.caller.door === 'cli'
        ? `The tool ${tool} asks a person first. Say --yes to allow this call yourself; else another may, within the hour.`
        : `A person must allow ${tool} with these arguments: fleet approve ${id}. Then call it again.`,
      { id, tool },
    );
  }

  #bySignedState(params: JsonObject, call: Call): JsonObject | undefined {
    const { requestState, inputResponses } = params;
    const tool = String(params['name']);
    if (typeof requestState !== 'string' || !isObject(inputResponses)) {
      return {
        resultType: 'input_required',
        inputRequests: { [KEY]: { method: 'elicitation/create', params: elicitation(params) } },
        requestState: this.#parts.state.sign([call.asked_by, call.digest]),
      };
    }
    this.#parts.state.redeem(requestState, [call.asked_by, call.digest]);
    return this.#decided(call, tool, inputResponses[KEY]);
  }

  #decided(call: Call, tool: string, answer: unknown): undefined {
    const allowed = isAllowed(answer);
    this.#parts.book.settle(call, allowed ? 'allow' : 'deny');
    if (!allowed) throw denied(tool, null);
  }
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
    `A person did not allow ${tool}${note === null ? '' : `: ${note}`}. Do not try it again unless you are told to.`,
    { reason: 'approval_denied', tool },
  );
}
