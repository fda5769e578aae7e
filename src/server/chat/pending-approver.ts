import { createHash, randomUUID } from 'node:crypto';
import { questionFields, type Question } from '../../domain/approvals/approval.ts';
import { fillForm } from '../../domain/approvals/fill-form.ts';
import { formQuestion } from '../../domain/approvals/form-question.ts';
import { wait } from '../../platform/wait.ts';
import type { ApprovalRequesterParts } from '../../orchestrator/calls/approval-requester.ts';
import type {
  ApprovalAnswer,
  ApprovalQuestion,
  Approver,
  ServerAnswer,
  ServerQuestion,
} from '../../session/tools/approver.ts';

const WITHIN_MS = 10 * 60_000;
const LOOK_MS = 250;
const OPTIONS = [
  { id: 'allow', name: 'Allow once', decision: 'allow' },
  { id: 'deny', name: 'Deny', decision: 'deny' },
] as const;

type Approvals = ApprovalRequesterParts['approvals'];
type Call = Parameters<Approvals['ask']>[0];
type Settled = Exclude<ReturnType<Approvals['ask']>, { readonly state: 'open' }> | { readonly state: 'late' };

export interface PendingApproverParts {
  readonly approvals: Approvals;
  /** The principal of the session, as it is recorded. */
  readonly asked_by: string;
  /** Called with the id under which a person can answer. */
  readonly onAsked: (id: string, question: ApprovalQuestion) => void;
  readonly onQuestion: (id: string, question: ServerQuestion) => void;
}

/** Asks by a pending approval, as every interface shows and answers them, and waits for the answer. */
export class PendingApprover implements Approver {
  readonly #parts: PendingApproverParts;

  constructor(parts: PendingApproverParts) {
    this.#parts = parts;
  }

  async ask(question: ApprovalQuestion, signal: AbortSignal): Promise<ApprovalAnswer> {
    const { asked_by, onAsked } = this.#parts;
    const { tool, arguments: args, effect } = question;
    const call = { asked_by, digest: digestOf(['session', tool, args]) };
    const asked = { kind: 'tool_call', tool, input: { arguments: args, effect }, options: OPTIONS } as const;
    const settled = await this.#wait({ call, asked, onAsked: (id) => onAsked(id, question) }, signal);
    if (settled.state === 'allowed') return { allowed: true };
    if (settled.state === 'late') return { allowed: false, reason: `The approval of ${tool} timed out.` };
    return { allowed: false, reason: `A person did not allow ${tool}${noteText(settled.note)}.` };
  }

  async answer(question: ServerQuestion, signal: AbortSignal): Promise<ServerAnswer> {
    const { asked_by, onQuestion } = this.#parts;
    const { tool, message, schema } = question;
    // An answer is for this question alone, also when another call asks the same.
    const call = { asked_by, digest: digestOf(['session question', randomUUID()]) };
    const asked = formQuestion(message, schema);
    const settled = await this.#wait({ call, asked, onAsked: (id) => onQuestion(id, question) }, signal);
    if (settled.state === 'allowed') {
      const { option, answer } = settled.answer;
      return { action: 'accept', content: fillForm(questionFields(asked), { option, answer }) };
    }
    const isLate = settled.state === 'late';
    const reason = isLate
      ? `The question of ${tool} timed out.`
      : `A person declined the question of ${tool}${noteText(settled.note)}.`;
    return { action: 'decline', reason, unasked: isLate };
  }

  async #wait({ call, asked, onAsked }: Waiting, signal: AbortSignal): Promise<Settled> {
    const { approvals } = this.#parts;
    const until = performance.now() + WITHIN_MS;
    let shown = false;
    try {
      for (;;) {
        const verdict = approvals.ask(call, asked, WITHIN_MS);
        if (verdict.state !== 'open') return verdict;
        if (!shown) onAsked(verdict.approval.id);
        shown = true;
        if (performance.now() > until) break;
        await wait(LOOK_MS, { signal });
      }
    } catch (thrown) {
      // Nobody waits for the answer any more.
      if (signal.aborted) approvals.settle(call, 'deny');
      throw thrown;
    }
    approvals.settle(call, 'deny');
    return { state: 'late' };
  }
}

interface Waiting {
  readonly call: Call;
  readonly asked: Question;
  readonly onAsked: (id: string) => void;
}

function noteText(note: string | null): string {
  return note === null ? '' : `: ${note}`;
}

function digestOf(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
