import { FleetError } from '../domain/values/errors.ts';

export const SESSION_STATES = [
  'initializing',
  'ready',
  'processing',
  'terminating',
  'closed',
  'failed',
] as const;

export type SessionStateName = (typeof SESSION_STATES)[number];

/** A session that failed can only be closed: its checks at the start did not pass. */
const NEXT: Readonly<Record<SessionStateName, readonly SessionStateName[]>> = {
  initializing: ['ready', 'failed', 'terminating'],
  ready: ['processing', 'terminating'],
  processing: ['ready', 'terminating'],
  terminating: ['closed'],
  closed: [],
  failed: ['terminating'],
};

/** Where a session is in its life. */
export class SessionState {
  #current: SessionStateName = 'initializing';
  readonly #onChange: (state: SessionStateName) => void;

  constructor(onChange: (state: SessionStateName) => void = () => {}) {
    this.#onChange = onChange;
  }

  get current(): SessionStateName {
    return this.#current;
  }

  /** CONFLICT when the session cannot come into that state from the one it is in. */
  to(next: SessionStateName): void {
    if (!NEXT[this.#current].includes(next)) {
      throw new FleetError('CONFLICT', `The session is ${this.#current} and cannot become ${next}.`, {
        reason: 'session_state',
        state: this.#current,
      });
    }
    this.#current = next;
    this.#onChange(next);
  }

  /** CONFLICT unless the session is in that state. */
  require(state: SessionStateName): void {
    if (this.#current === state) return;
    throw new FleetError('CONFLICT', `The session is ${this.#current}, not ${state}.`, {
      reason: 'session_state',
      state: this.#current,
    });
  }
}
