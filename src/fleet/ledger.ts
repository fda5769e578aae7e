import type { Actor } from '../domain/principal.ts';

export interface LedgerCall {
  readonly operation: string;
  readonly actor: Actor;
  readonly input: Readonly<Record<string, unknown>>;
}

/** What a fleet remembers of calls: answers by idempotency key, and the audit log. */
export interface Ledger {
  /** The first answer to this key; CONFLICT when it was used with another input. */
  answerTo(call: LedgerCall & { readonly key: string }): object | undefined;
  /** Keeps an answer unless one is kept already; returns the kept one. */
  keepAnswer(call: LedgerCall & { readonly key: string }, answer: object): object;
  /** Frees a key whose call failed: it may be used again, corrected. */
  release(call: LedgerCall & { readonly key: string }): void;
  record(call: LedgerCall & { readonly outcome: string }): void;
  /** The same for what comes often: it is not lost with this process, and is seen by others after a moment. */
  recordSoon(call: LedgerCall & { readonly outcome: string }): void;
}
