import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { ApprovalRequesterParts } from '../../orchestrator/calls/approval-requester.ts';
import type { ApprovalAnswer, ApprovalQuestion, Approver } from '../../session/tools/approver.ts';

const WITHIN_MS = 10 * 60_000;
const LOOK_MS = 250;
const OPTIONS = [
  { id: 'allow', name: 'Allow once', decision: 'allow' },
  { id: 'deny', name: 'Deny', decision: 'deny' },
] as const;

export interface PendingApproverParts {
  readonly approvals: ApprovalRequesterParts['approvals'];
  /** The principal of the session, as it is recorded. */
  readonly asked_by: string;
  /** Called with the id under which a person can answer. */
  readonly onAsked: (id: string, question: ApprovalQuestion) => void;
}

/** Asks by a pending approval, as every interface shows and answers them, and waits for the answer. */
export class PendingApprover implements Approver {
  readonly #parts: PendingApproverParts;

  constructor(parts: PendingApproverParts) {
    this.#parts = parts;
  }

  async ask(question: ApprovalQuestion, signal: AbortSignal): Promise<ApprovalAnswer> {
    const { approvals, asked_by, onAsked } = this.#parts;
    const { tool, arguments: args, effect } = question;
    const call = { asked_by, digest: digestOf(tool, args) };
    const asked = { kind: 'tool_call', tool, input: { arguments: args, effect }, options: OPTIONS } as const;
    const until = performance.now() + WITHIN_MS;
    let shown = false;
    try {
      for (;;) {
        const verdict = approvals.ask(call, asked, WITHIN_MS);
        if (verdict.state === 'allowed') return { allowed: true };
        if (verdict.state === 'denied') {
          const note = verdict.note === null ? '' : `: ${verdict.note}`;
          return { allowed: false, reason: `A person did not allow ${tool}${note}.` };
        }
        if (!shown) onAsked(verdict.approval.id, question);
        shown = true;
        if (performance.now() > until) break;
        await delay(LOOK_MS, undefined, { signal });
      }
    } catch (thrown) {
      // Nobody waits for the answer any more.
      if (signal.aborted) approvals.settle(call, 'deny');
      throw thrown;
    }
    approvals.settle(call, 'deny');
    return { allowed: false, reason: `The approval of ${tool} timed out.` };
  }
}

function digestOf(tool: string, args: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(['session', tool, args]))
    .digest('hex');
}
