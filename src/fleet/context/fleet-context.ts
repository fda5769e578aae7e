import type { Clock } from '../../domain/clock.ts';
import type { Caller } from '../../domain/principal.ts';
import type { FeedbackRecords } from './feedback-records.ts';
import type { ReviewDrafts } from './review-drafts.ts';
import type { PullRequests } from '../pull-requests/pull-requests.ts';
import type { EventSource } from './event-source.ts';
import type { Lookup } from './lookup.ts';

/** What every use case is given. */
export interface FleetContext {
  readonly lookup: Lookup;
  readonly clock: Clock;
  /** Absent inside an agent, where the fleet's store cannot be reached. */
  readonly events: EventSource | undefined;
  /** Absent inside an agent, which asks no forge. */
  readonly pullRequests: PullRequests | undefined;
  /** Absent inside an agent, which reviews nobody. */
  readonly reviews: ReviewDrafts | undefined;
  /** Absent inside an agent. */
  readonly feedback: FeedbackRecords | undefined;
}

/** For a use case that creates something: its ids follow from the caller's idempotency key. */
export interface Making {
  readonly caller: Caller;
  makeId(part: string): string;
}

/** For a use case that takes a while. */
export interface Waiting {
  readonly signal: AbortSignal;
  progress(message: string): void;
}
