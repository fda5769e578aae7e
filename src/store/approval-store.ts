import { randomBytes } from 'node:crypto';
import {
  answeredAlready,
  fitAnswer,
  noApproval,
  type Approval,
  type ApprovalAnswer,
  type Decision,
  type Question,
} from '../domain/approvals/approval.ts';
import type { Clock } from '../domain/clock.ts';
import type { Actor } from '../domain/principal.ts';
import { cut, LIST_TEXT_LIMIT } from '../domain/values/text.ts';
import { EventLog, NO_AGENT } from './event-log.ts';
import type { Store } from './store.ts';

/** A call of a tool that a person must allow: the same caller with the same arguments is the same call. */
export interface GatedCall {
  readonly asked_by: string;
  /** Stands for the tool and its arguments. */
  readonly digest: string;
}

/** What became of a call that was asked about: allowed once, denied, or still open. */
export type Verdict =
  | { readonly state: 'allowed'; readonly answered_by: string; readonly answer: ApprovalAnswer }
  | { readonly state: 'denied'; readonly note: string | null }
  | { readonly state: 'open'; readonly approval: Approval };

const PREFIX = 'call-';

/** Questions about calls of tools. Those of agents are in their journals. */
export class ApprovalStore {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #events: EventLog;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#events = new EventLog(store);
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
        ? { state: 'allowed', answered_by: known.answered_by, answer: known.answer }
        : { state: 'denied', note: known.answer.note };
    }, true);
  }

  /** Sends the event of a question that the user of the caller's client is asked, and returns its id. It is not stored:
   *  nobody else can answer it. A question about the same call that is open here is the same question. */
  announce(call: GatedCall, question: Question): string {
    return this.#store.transaction(() => {
      const known = this.#newest(call);
      if (known?.answer === null) return known.approval.id;
      const id = newId();
      this.#tellAsked(id, question, call.asked_by);
      return id;
    }, true);
  }

  /** Closes the question about a call that was decided where it was made: nobody needs to answer it any more. */
  settle({ asked_by, digest }: GatedCall, decision: Decision, announced?: string): void {
    const answer: ApprovalAnswer = { decision, option: decision, answer: null, note: null };
    const isOpen = 'asked_by = ? AND digest = ? AND answer IS NULL';
    const ids = (): readonly string[] =>
      this.#store
        .all(`SELECT id FROM approvals WHERE ${isOpen}`, asked_by, digest)
        .map(({ id }) => String(id));
    // Most calls were never asked about here: a look is cheaper than a transaction.
    if (announced === undefined && ids().length === 0) return;
    this.#store.transaction(() => {
      const decided = new Set([...ids(), ...(announced === undefined ? [] : [announced])]);
      this.#store.run(
        `UPDATE approvals SET answer = ?, answered_by = ?, used = 1 WHERE ${isOpen}`,
        JSON.stringify(answer),
        asked_by,
        asked_by,
        digest,
      );
      for (const id of decided) this.#tellAnswered(id, { decision, by: asked_by });
    }, true);
  }

  /** Ends an announced question that the client did not answer. One that is stored here stays open. */
  withdraw(announced: string, by: string): void {
    this.#store.transaction(() => {
      if (this.find(announced) !== undefined) return;
      this.#tellAnswered(announced, { decision: 'deny', reason: 'The client did not answer.', by });
    }, true);
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
    const changed = this.#store.transaction(() => {
      const rows = this.#store.run(
        'UPDATE approvals SET answer = ?, answered_by = ? WHERE id = ? AND answer IS NULL AND expires_at > ?',
        JSON.stringify(fitAnswer(approval, answer)),
        by.principal,
        id,
        this.#now(),
      );
      if (rows > 0) this.#tellAnswered(id, { decision: answer.decision, by: by.principal });
      return rows;
    }, true);
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
      id: newId(),
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
    this.#tellAsked(approval.id, question, asked_by);
    return approval;
  }

  #tellAsked(id: string, { kind, tool }: Question, by: string): void {
    this.#tell('approval.asked', id, { approval_kind: kind, tool: cut(tool, LIST_TEXT_LIMIT), by });
  }

  #tellAnswered(id: string, data: { decision: Decision; by: string; reason?: string }): void {
    this.#tell('approval.answered', id, data);
  }

  /** Part of the transaction that changes the approval. Each event of an id is sent once. */
  #tell(kind: 'approval.asked' | 'approval.answered', id: string, data: Record<string, unknown>): void {
    const change = { seq: 0, at: this.#now(), kind, data: { approval_id: id, ...data }, moment: id };
    this.#events.add(NO_AGENT, [change]);
  }

  #now(): string {
    return new Date(this.#clock.now().at).toISOString();
  }
}

function newId(): string {
  return PREFIX + randomBytes(4).toString('hex');
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
