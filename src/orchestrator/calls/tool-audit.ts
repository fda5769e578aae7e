import { hash } from 'node:crypto';
import { toFleetError } from '../../domain/values/errors.ts';
import { actorOf, type Caller } from '../../domain/principal.ts';
import { cut } from '../../domain/values/text.ts';
import type { Ledger } from '../../fleet/ledger.ts';
import type { JsonObject } from '../../wire/json-rpc.ts';

export interface AuditedCall {
  readonly params: JsonObject;
  readonly caller: Caller;
  readonly correlation_id: string;
}

/** The name of a tool that is not there may be anything. */
const LONGEST_NAME = 100;

/** Writes down who called which upstream tool, how long it took and how it ended, before the call is answered. Of the
 *  arguments only their size and hash are kept. */
export class ToolAudit {
  readonly #ledger: Ledger;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** To be called once with how it ended; not at all when it goes on in another call. */
  begin({ params, caller, correlation_id }: AuditedCall): (outcome: string) => void {
    const began = performance.now();
    return (outcome) => {
      const took_ms = Math.round((performance.now() - began) * 10) / 10;
      const text = JSON.stringify(params['arguments'] ?? {});
      const arguments_hash = hash('sha256', text).slice(0, 16);
      const input = { correlation_id, took_ms, arguments_bytes: Buffer.byteLength(text), arguments_hash };
      const operation = cut(String(params['name']), LONGEST_NAME);
      try {
        this.#ledger.recordSoon({ operation, actor: actorOf(caller), input, outcome });
      } catch (thrown) {
        // What was done is done, also when that cannot be written down.
        console.error(`fleet: a call is not in the audit log: ${toFleetError(thrown).message}`);
      }
    };
  }
}
