import { cut } from '../values/text.ts';
import { CONVERSATION_LIMITS } from './conversation-limits.ts';

export interface CutValue {
  readonly value: unknown;
  readonly truncated: boolean;
}

/** A JSON value of bounded size: its long texts are cut, and if that is not enough, it becomes a text that is cut. */
export function cutValue(value: unknown): CutValue {
  const { input, input_text } = CONVERSATION_LIMITS;
  const whole = JSON.stringify(value) ?? 'null';
  if (whole.length <= input) return { value: value ?? null, truncated: false };
  const shorter = JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'string' ? cut(each, input_text) : each,
  );
  if (shorter.length <= input) return { value: JSON.parse(shorter) as unknown, truncated: true };
  return { value: cut(shorter, input), truncated: true };
}
