import { hash } from 'node:crypto';
import { toFleetError } from '../domain/errors.ts';
import { actorOf, type Caller } from '../domain/principal.ts';
import { cut } from '../domain/text.ts';
import type { Ledger } from '../fleet/ledger.ts';
import type { JsonObject } from '../orchestrator/json-rpc.ts';

export interface AuditedCall {
  readonly params: JsonObject;
  readonly caller: Caller;
  readonly correlation_id: string;
}

/** Writing each call by itself costs more than many calls at once can spare. */
const FEW = 4;
const LATER_MS = 50;
/** The name of a tool that is not there may be anything. */
const LONGEST_NAME = 100;

/** Writes down who called which upstream tool, how long it took and how it ended. Of the arguments only their size and
 *  hash are kept. While few calls are in flight a call is written before it is answered, else some are written together. */
export class ToolAudit implements Disposable {
  readonly #ledger: Ledger;
  #waiting: (() => void)[] = [];
  #inFlight = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** To be called once with how it ended; without that when it goes on in another call. */
  begin({ params, caller, correlation_id }: AuditedCall): (outcome?: string) => void {
    const began = performance.now();
    this.#inFlight += 1;
    return (outcome) => {
      const few = this.#inFlight <= FEW;
      this.#inFlight -= 1;
      if (outcome === undefined) return;
      const took_ms = Math.round((performance.now() - began) * 10) / 10;
      this.#waiting.push(() => {
        const text = JSON.stringify(params['arguments'] ?? {});
        const arguments_hash = hash('sha256', text).slice(0, 16);
        const input = { correlation_id, took_ms, arguments_bytes: Buffer.byteLength(text), arguments_hash };
        const operation = cut(String(params['name']), LONGEST_NAME);
        this.#ledger.record({ operation, actor: actorOf(caller), input, outcome });
      });
      if (few) this.#write();
      else this.#timer ??= setTimeout(() => this.#write(), LATER_MS).unref();
    };
  }

  [Symbol.dispose](): void {
    this.#write();
  }

  #write(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const waiting = this.#waiting;
    this.#waiting = [];
    if (waiting.length === 0) return;
    const write = (): void => waiting.forEach((record) => record());
    try {
      if (this.#ledger.together === undefined) write();
      else this.#ledger.together(write);
    } catch (thrown) {
      // What was done is done, also when that cannot be written down.
      console.error(
        `fleet: calls of tools are not in the audit log (${waiting.length}): ${toFleetError(thrown).message}`,
      );
    }
  }
}
