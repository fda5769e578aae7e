import type { Fact } from '../fact.ts';
import { EMPTY_STATE, fold } from '../state.ts';
import { deriveStatus, type Instant, type Observation, type StatusView } from '../status.ts';
import { FleetError } from '../values/errors.ts';

export interface Explanation {
  readonly agent_name: string;
  readonly at: string;
  readonly status: Omit<StatusView, 'look_again_at'>;
  readonly facts: readonly Fact[];
}

export interface KnownAgent {
  readonly agent_name: string;
  readonly facts: readonly Fact[];
  readonly observed: Observation;
  readonly now: Instant;
}

/** The status, and the facts that it was made from: now, or at a time from the facts of that time alone. */
export function explainStatus(known: KnownAgent, at: number | undefined): Explanation {
  return at === undefined ? explainNow(known) : explainAt(known, at);
}

function explainNow({ agent_name, facts, observed, now }: KnownAgent): Explanation {
  return { agent_name, at: isoTime(now.at), status: statusOf(facts, observed, now), facts };
}

function explainAt({ agent_name, facts }: KnownAgent, at: number): Explanation {
  const known = facts.filter((fact) => Date.parse(fact.at) <= at);
  if (known.length === 0) {
    const created = facts[0] === undefined ? 'has no facts' : `was created at ${facts[0].at}`;
    throw new FleetError(
      'INVALID_INPUT',
      `The agent "${agent_name}" did not exist at ${isoTime(at)}: it ${created}.`,
      { field: 'at' },
    );
  }
  // Signs of life are no facts, so nothing is known of them now: that a task was stuck cannot be said.
  const then: Instant = { at, awake_ms: 0, boot: '' };
  return { agent_name, at: isoTime(at), status: statusOf(known, { progress: then }, then), facts: known };
}

function statusOf(facts: readonly Fact[], observed: Observation, now: Instant): Explanation['status'] {
  const { look_again_at: _, ...status } = deriveStatus(facts.reduce(fold, EMPTY_STATE), observed, now);
  return status;
}

function isoTime(at: number): string {
  return new Date(at).toISOString();
}
