import { matchesPattern } from '../../domain/values/matches-pattern.ts';
import { isObject } from '../../wire/json-rpc.ts';
import type { Offer } from '../servers/offers.ts';
import { hintsIn } from './stricter-hints.ts';

/** Which tools of a server ask a person first, and the rules over all servers. */
export interface GateRules {
  readonly approve: 'none' | 'destructive' | 'writes' | 'all';
  /** Patterns of names with `*`; no server can loosen them. */
  readonly rules: readonly string[];
}

/** True when a person must allow the call. The words of a description do not count. */
export function isGated(name: string, tool: Offer, { approve, rules }: GateRules): boolean {
  if (approve === 'all' || rules.some((rule) => matchesPattern(name, rule))) return true;
  if (approve === 'none') return false;
  const { readOnlyHint, destructiveHint } = hintsIn(tool['annotations']);
  if (destructiveHint === true) return true;
  return approve === 'writes' && readOnlyHint !== true && destructiveHint !== false;
}

/** True for a call that may be repeated without asking. */
export function isRepeatable(tool: Offer): boolean {
  const { annotations } = tool;
  return (
    isObject(annotations) && (annotations['readOnlyHint'] === true || annotations['idempotentHint'] === true)
  );
}
