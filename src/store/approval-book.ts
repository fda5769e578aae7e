import { randomBytes } from 'node:crypto';
import {
  answeredAlready,
  fitAnswer,
  noApproval,
  type Approval,
  type ApprovalAnswer,
  type Decision,
  type Question,
} from '../domain/approval.ts';
import type { Clock } from '../domain/clock.ts';
import type { Actor } from '../domain/principal.ts';
import type { Store } from './store.ts';

/** A call of a tool that a person must allow: the same caller with the same arguments is the same call. */
export interface GatedCall {
  readonly asked_by: string;
  /** Stands for the tool and its arguments. */
  readonly digest: string;
}

/** What became of a call that was asked about: allowed once, denied, or still open. */
export type Verdict =
  | { readonly state: 'allowed'; readonly answered_by: string }
  | { readonly state: 'denied'; readonly note: string | null }
  | { readonly state: 'open'; readonly approval: Approval };

const PREFIX = 'call-';

/** Questions about calls of tools. Those of agents are in their journals. */
export class ApprovalBook {
  readonly #store: Store;
  readonly #clock: Clock;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** True for the ids that this book makes. */
  static knows(id: string): boolean {
    return id.startsWith(PREFIX);
  }

  /** Asks, unless the same call was asked about and is open. An answer that was given is used up by being told. */
  ask(call: GatedCall, question: Question, within_ms: number): Verdict {
    return this.#store.transaction(() => {
      const known = this.#newest(call);
      if (known === undefined) return { state: 'open', approval: this.#insert(call, question, within_ms) };
      if (known.answer === null) return { state: 'open', approval: known.approval };
      this.#store.run('UPDATE approvals SET used = 1 WHERE id = ?', known.approval.id);
      return known.answer.decision === 'allow'
        ? { state: 'allowed', answered_by: known.answered_by }
        : { state: 'denied', note: known.answer.note };
    }, true);
  }

  /** Closes the question about a call that was decided where it was made: nobody needs to answer it any more. */
  settle({ asked_by, digest }: GatedCall, decision: Decision): void {
    const answer: ApprovalAnswer = { decision, option: decision, answer: null, note: null };
    this.#store.run(
      `UPDATE approvals SET answer = ?, answered_by = ?, used = 1
       WHERE asked_by = ? AND digest = ? AND answer IS NULL`,
      JSON.stringify(answer),
      asked_by,
      asked_by,
      digest,
    );
  }

  open(): readonly Approval[] {
    return this.#store
      .all('SELECT * FROM approvals WHERE answer IS NULL AND expires_at > ? ORDER BY asked_at', this.#now())
      .map((row) => rowOf(row).approval);
  }

  find(id: string): Approval | undefined {
    const row = this.#store.get('SELECT * FROM approvals WHERE id = ?', id);
    return row === undefined ? undefined : rowOf(row).approval;
  }

  /** The first answer stands, and none counts that comes too late. */
  answer(id: string, answer: ApprovalAnswer, by: Actor): void {
    const approval = this.find(id);
    if (approval === undefined) throw noApproval(id);
    const changed = this.#store.transaction(
      () =>
        this.#store.run(
          'UPDATE approvals SET answer = ?, answered_by = ? WHERE id = ? AND answer IS NULL AND expires_at > ?',
          JSON.stringify(fitAnswer(approval, answer)),
          by.principal,
          id,
          this.#now(),
        ),
      true,
    );
    if (changed === 0) throw answeredAlready(id);
  }

  /** The newest question about a call that is not used up and not too old. */
  #newest({ asked_by, digest }: GatedCall): StoredApproval | undefined {
    const row = this.#store.get(
      `SELECT * FROM approvals WHERE asked_by = ? AND digest = ? AND used = 0 AND expires_at > ?
       ORDER BY asked_at DESC LIMIT 1`,
      asked_by,
      digest,
      this.#now(),
    );
    return row === undefined ? undefined : rowOf(row);
  }

  #insert({ asked_by, digest }: GatedCall, question: Question, within_ms: number): Approval {
    const { at } = this.#clock.now();
    const approval: Approval = {
      ...question,
      id: PREFIX + randomBytes(4).toString('hex'),
      agent_name: null,
      asked_at: new Date(at).toISOString(),
      expires_at: new Date(at + within_ms).toISOString(),
      asked_by,
    };
    this.#store.run(
      'INSERT INTO approvals (id, asked_by, digest, question, asked_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)',
      approval.id,
      asked_by,
      digest,
      JSON.stringify(question),
      approval.asked_at,
      approval.expires_at,
    );
    return approval;
  }

  #now(): string {
    return new Date(this.#clock.now().at).toISOString();
  }
}

interface StoredApproval {
  readonly approval: Approval;
  readonly answer: ApprovalAnswer | null;
  readonly answered_by: string;
}

/** Our own columns: written by this file alone. */
function rowOf(row: Record<string, unknown>): StoredApproval {
  return {
    approval: {
      ...(JSON.parse(String(row['question'])) as Question),
      id: String(row['id']),
      agent_name: null,
      asked_at: String(row['asked_at']),
      expires_at: String(row['expires_at']),
      asked_by: String(row['asked_by']),
    },
    answer: row['answer'] === null ? null : (JSON.parse(String(row['answer'])) as ApprovalAnswer),
    answered_by: String(row['answered_by'] ?? ''),
  };
}
