import { METADATA_TOTAL_LIMIT } from './metadata.ts';

export interface FieldResult {
  readonly value: unknown;
  readonly error: string | null;
}

/** What all fields of an agent may have together: what comes after that is left out, and says so. */
export class FieldBudget {
  #size = 0;

  take(name: string, result: FieldResult): FieldResult {
    this.#size += Buffer.byteLength(name) + Buffer.byteLength(JSON.stringify(result));
    return this.#size <= METADATA_TOTAL_LIMIT ? result : TOO_MUCH;
  }
}

const TOO_MUCH: FieldResult = {
  value: null,
  error: `all fields together have more than ${METADATA_TOTAL_LIMIT} bytes, which is the limit: left out`,
};
