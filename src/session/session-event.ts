import type { RoundEvent } from './rounds/round-event.ts';
import type { SessionStateName } from './session-state.ts';

/** What a session tells whoever shows it. */
export type SessionEvent = RoundEvent | { readonly type: 'state'; readonly state: SessionStateName };
