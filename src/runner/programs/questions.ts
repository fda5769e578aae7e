import type { ApprovalAnswer, Question } from '../../domain/approvals/approval.ts';
import { approvalId } from '../../domain/approvals/approval.ts';
import type { Clock } from '../../domain/clock.ts';
import type { Launch } from '../../domain/launch.ts';
import { standingDecision } from '../../domain/approvals/permission-rule.ts';
import { FLEET_ACTOR, type Actor } from '../../domain/principal.ts';
import type { Journal } from '../journal/journal.ts';

export interface QuestionParts {
  readonly journal: Journal;
  readonly clock: Clock;
  /** Who asks, as the journal names it. */
  readonly asker: Actor;
  readonly launch: Launch;
  /** Called when the role itself has answered. */
  readonly ruled: (what: string) => void;
}

/** How a question ended: with an answer, or denied because nobody gave one in time, or with nobody who waits for it. */
export type Reply = ApprovalAnswer | { readonly decision: 'gone' };

/** How long a person has to answer where the role says nothing. */
const ANSWER_WITHIN_MS = 3_600_000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The questions of an agent that runs: each is a fact before it is published, and closes with the call or task that it is part of. */
export class Questions {
  readonly #parts: QuestionParts;
  readonly #waiting = new Map<string, (reply: Reply) => void>();

  constructor(parts: QuestionParts) {
    this.#parts = parts;
    parts.journal.onFact(({ body }) => {
      if (body.kind === 'approval.answered') {
        const { kind: _, approval_id, ...answer } = body;
        this.#settle(approval_id, answer);
      }
    });
  }

  /** What the role says for such a case counts as an answer. */
  async ask(question: Question, signal: AbortSignal): Promise<Reply> {
    const { launch, ruled } = this.#parts;
    const decision = standingDecision(launch.permissions ?? [], question);
    if (decision === undefined) return await this.#askPeople(question, signal);
    ruled(`${question.tool}: ${decision} by a rule of the role`);
    return { decision, option: null, answer: null, note: null };
  }

  async #askPeople(question: Question, signal: AbortSignal): Promise<Reply> {
    const { journal, clock, asker, launch } = this.#parts;
    const answer_within_ms = launch.answer_within_ms ?? ANSWER_WITHIN_MS;
    if (signal.aborted) return { decision: 'gone' };
    const id = approvalId(launch.workspace_id, journal.state().asked + 1);
    const { promise, resolve } = Promise.withResolvers<Reply>();
    this.#waiting.set(id, resolve);
    const expires_at = new Date(clock.now().at + answer_within_ms).toISOString();
    journal.append(asker, { kind: 'approval.asked', approval_id: id, question, expires_at });
    const gone = (): void => this.#close(id, 'the task that asked has ended', { decision: 'gone' });
    const late = setTimeout(
      () => this.#close(id, LATE, DENIED),
      Math.min(LONGEST_TIMER_MS, answer_within_ms),
    );
    signal.addEventListener('abort', gone, { once: true });
    try {
      return await promise;
    } finally {
      clearTimeout(late);
      signal.removeEventListener('abort', gone);
    }
  }

  #close(id: string, reason: string, reply: Reply): void {
    if (!this.#waiting.has(id)) return;
    this.#parts.journal.append(FLEET_ACTOR, { kind: 'approval.closed', approval_id: id, reason });
    this.#settle(id, reply);
  }

  #settle(id: string, reply: Reply): void {
    this.#waiting.get(id)?.(reply);
    this.#waiting.delete(id);
  }
}

const LATE = 'there was no answer in time';
const DENIED: Reply = { decision: 'deny', option: null, answer: null, note: LATE };
