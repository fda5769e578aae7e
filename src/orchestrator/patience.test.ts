import { afterEach, describe, expect, it, vi } from 'vitest';
import { Patience } from './patience.ts';

afterEach(() => void vi.useRealTimers());

describe('how long an answer is waited for', () => {
  const waiting = (limits: { timeout_ms?: number; most_ms?: number }, counts = () => true) => {
    vi.useFakeTimers();
    const ends: string[] = [];
    const patience = new Patience(limits, (why) => {
      ends.push(why);
      return counts();
    });
    return { ends, patience };
  };

  it('ends when nothing is heard, and not while something is', () => {
    const { ends, patience } = waiting({ timeout_ms: 30, most_ms: 1_000 });
    for (let step = 0; step < 10; step++) {
      vi.advanceTimersByTime(25);
      patience.heard();
    }
    expect(ends).toEqual([]);
    vi.advanceTimersByTime(30);
    expect(ends).toEqual(['nothing was heard for 30 ms']);
  });

  it('ends at the most, to the moment, however much is heard', () => {
    const { ends, patience } = waiting({ timeout_ms: 30, most_ms: 100 });
    for (let step = 0; step < 9; step++) {
      vi.advanceTimersByTime(11);
      patience.heard();
    }
    expect(ends).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(ends).toEqual(['it took longer than 100 ms']);
  });

  it('begins anew when the time does not count, and is over when it is stopped', () => {
    let isAnswering = true;
    const { ends, patience } = waiting({ timeout_ms: 30 }, () => !isAnswering);
    vi.advanceTimersByTime(65);
    expect(ends).toHaveLength(2);
    isAnswering = false;
    patience.stop();
    vi.advanceTimersByTime(1_000);
    expect(ends).toHaveLength(2);
  });

  it('is without end when there is no limit', () => {
    const { ends, patience } = waiting({});
    patience.heard();
    vi.advanceTimersByTime(1e9);
    expect(ends).toEqual([]);
  });
});
