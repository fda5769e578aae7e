import type { Outcome } from '../interfaces.ts';

/** One call of a caller, as it was decided before anything was known of its outcome. */
export interface Decision {
  readonly caller: number;
  readonly number: number;
  readonly action: Action;
  readonly name: string;
  readonly through: 'cli' | 'server';
  /** When the command that makes the call is killed; undefined when it is left alone. */
  readonly killAfterMs: number | undefined;
}

export const ACTIONS = [
  'create',
  'create',
  'task',
  'queue',
  'queue',
  'interrupt',
  'cancel',
  'stop',
  'restart',
  'restart',
  'delete',
  'metadata',
  'list',
] as const;
export type Action = (typeof ACTIONS)[number];

/** What callers were told. */
export interface Answered {
  readonly decision: Decision;
  /** The first call, and the same once more with the same key. */
  readonly outcomes: readonly Outcome[];
}

export function keyOf({ caller, number }: Decision): string {
  return `c${caller}-${number}`;
}

export function describeDecision({ caller, number, action, name, through, killAfterMs }: Decision): string {
  const killed = killAfterMs === undefined || through !== 'cli' ? '' : `, killed after ${killAfterMs} ms`;
  return `caller ${caller}, ${number}: ${action} ${name} by ${through}${killed}`;
}
