import type { RoundEvent } from './rounds/round-event.ts';
import type { SessionStateName } from './session-state.ts';

/** An event of a session, for the interface that shows it. */
export type SessionEvent = RoundEvent | { readonly type: 'state'; readonly state: SessionStateName };
