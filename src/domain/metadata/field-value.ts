import { METADATA_VALUE_LIMIT } from './metadata.ts';

/** What a task printed, as a value: trimmed, nothing for empty, JSON with its type, all else text. */
export function fieldValue(output: string): { readonly value: unknown; readonly error: string | null } {
  const text = output.trim();
  if (text === '') return { value: null, error: null };
  const bytes = Buffer.from(text);
  if (bytes.length > METADATA_VALUE_LIMIT) {
    // A character that the cut goes through is left out.
    const value = bytes
      .subarray(0, METADATA_VALUE_LIMIT)
      .toString('utf8')
      .replace(/\uFFFD$/, '');
    return {
      value,
      error: `it printed more than ${METADATA_VALUE_LIMIT} bytes, which is the limit: cut off`,
    };
  }
  return { value: jsonOrText(text), error: null };
}

function jsonOrText(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    // A number that would not come back as it was printed is better as text.
    return typeof value === 'number' && !isExact(value) ? text : value;
  } catch {
    return text;
  }
}

function isExact(value: number): boolean {
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
}
