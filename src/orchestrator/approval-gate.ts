import { matchesPattern } from '../domain/matches-pattern.ts';
import { isObject } from './json-rpc.ts';
import type { Offer } from './offers.ts';

/** What of a server's tools asks a person first, and the rules over all servers. */
export interface GateRules {
  readonly approve: 'none' | 'destructive' | 'all';
  /** Patterns of names with `*`; no server can loosen them. */
  readonly rules: readonly string[];
}

/** True when a person must allow the call. What a description says is not asked. */
export function isGated(name: string, tool: Offer, { approve, rules }: GateRules): boolean {
  if (approve === 'all' || rules.some((rule) => matchesPattern(name, rule))) return true;
  return (
    approve === 'destructive' &&
    isObject(tool['annotations']) &&
    tool['annotations']['destructiveHint'] === true
  );
}

/** True for a call that may be repeated without asking. */
export function isRepeatable(tool: Offer): boolean {
  const { annotations } = tool;
  return (
    isObject(annotations) && (annotations['readOnlyHint'] === true || annotations['idempotentHint'] === true)
  );
}
