import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { joinSignals } from './join-signals.ts';

describe('joined signals', () => {
  it('are aborted with any of them, for its reason, also when one was before', () => {
    const [one, other] = [new AbortController(), new AbortController()];
    using joined = joinSignals(one.signal, other.signal);
    expect(joined.signal.aborted).toBe(false);
    other.abort('enough');
    expect(joined.signal.reason).toBe('enough');
    using late = joinSignals(one.signal, other.signal);
    expect(late.signal.reason).toBe('enough');
  });

  it('leave nothing behind in one that goes on, and are not aborted with it later', () => {
    const long = new AbortController();
    const { signal } = (() => {
      using joined = joinSignals(long.signal, new AbortController().signal);
      expect(getEventListeners(long.signal, 'abort')).toHaveLength(1);
      return joined;
    })();
    expect(getEventListeners(long.signal, 'abort')).toEqual([]);
    long.abort();
    expect(signal.aborted).toBe(false);
  });
});
