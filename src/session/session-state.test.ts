import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SESSION_STATES, SessionState, type SessionStateName } from './session-state.ts';

describe('the state of a session', () => {
  it('goes from initializing over ready and processing to closed', () => {
    const seen: string[] = [];
    const state = new SessionState((name) => seen.push(name));
    expect(state.current).toBe('initializing');
    for (const next of ['ready', 'processing', 'ready', 'terminating', 'closed'] as const) state.to(next);
    expect(seen).toEqual(['ready', 'processing', 'ready', 'terminating', 'closed']);
  });

  it('fails only while it starts, and can then only be closed', () => {
    const state = new SessionState();
    state.to('failed');
    expect(() => state.to('ready')).toThrow('The session is failed and cannot become ready.');
    state.to('terminating');
    state.to('closed');
    const ready = new SessionState();
    ready.to('ready');
    expect(() => ready.to('failed')).toThrow('The session is ready and cannot become failed.');
  });

  it('refuses what another state is needed for', () => {
    const state = new SessionState();
    expect(() => state.require('ready')).toThrow('The session is initializing, not ready.');
    state.to('ready');
    expect(() => state.require('ready')).not.toThrow();
  });

  it('is always one of six, and closed for ever', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...SESSION_STATES)), (steps) => {
        const state = new SessionState();
        const seen: SessionStateName[] = [];
        for (const step of steps) {
          try {
            state.to(step);
          } catch {
            // Refused: it stays where it is.
          }
          seen.push(state.current);
        }
        expect(SESSION_STATES).toEqual(expect.arrayContaining([...new Set(seen)]));
        const closed = seen.indexOf('closed');
        if (closed !== -1) expect(new Set(seen.slice(closed))).toEqual(new Set(['closed']));
      }),
    );
  });
});
