import { hash } from 'node:crypto';
import { actorOf, type Caller } from '../domain/principal.ts';
import type { Ledger } from '../fleet/ledger.ts';
import type { JsonObject } from '../orchestrator/json-rpc.ts';

export interface AuditedCall {
  readonly name: string;
  readonly params: JsonObject;
  readonly caller: Caller;
  /** By the clock of `performance`. */
  readonly began: number;
  readonly correlation_id: string;
  readonly failed: boolean;
}

const LATER_MS = 50;

/** Writes down who called which upstream tool, how long it took and how it ended. Of the arguments only their size and
 *  hash are kept. Calls are written some at a time: nobody waits for it. */
export class ToolAudit implements Disposable {
  readonly #ledger: Ledger;
  #waiting: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  record({ name, params, caller, began, correlation_id, failed }: AuditedCall): void {
    const took_ms = Math.round((performance.now() - began) * 10) / 10;
    const actor = actorOf(caller);
    this.#waiting.push(() => {
      const text = JSON.stringify(params['arguments'] ?? {});
      const arguments_hash = hash('sha256', text).slice(0, 16);
      const input = { correlation_id, took_ms, arguments_bytes: Buffer.byteLength(text), arguments_hash };
      this.#ledger.record({ operation: name, actor, input, outcome: failed ? 'failed' : 'ok' });
    });
    this.#timer ??= setTimeout(() => this.#write(), LATER_MS).unref();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#write();
  }

  #write(): void {
    this.#timer = undefined;
    const waiting = this.#waiting;
    this.#waiting = [];
    const write = (): void => waiting.forEach((record) => record());
    if (this.#ledger.together === undefined) write();
    else this.#ledger.together(write);
  }
}
