import { afterEach, describe, expect, it, vi } from 'vitest';
import { CallDeadline } from './call-deadline.ts';

afterEach(() => void vi.useRealTimers());

describe('how long an answer is waited for', () => {
  const waiting = (limits: { timeout_ms?: number; max_ms?: number }, counts = () => true) => {
    vi.useFakeTimers();
    const ends: string[] = [];
    const deadline = new CallDeadline(limits, (why) => {
      ends.push(why);
      return counts();
    });
    return { ends, deadline };
  };

  it('ends when nothing is received, and not while something is', () => {
    const { ends, deadline } = waiting({ timeout_ms: 30, max_ms: 1_000 });
    for (let step = 0; step < 10; step++) {
      vi.advanceTimersByTime(25);
      deadline.extend();
    }
    expect(ends).toEqual([]);
    vi.advanceTimersByTime(30);
    expect(ends).toEqual(['no response for 30 ms']);
  });

  it('ends at the maximum, exactly, however much is received', () => {
    const { ends, deadline } = waiting({ timeout_ms: 30, max_ms: 100 });
    for (let step = 0; step < 9; step++) {
      vi.advanceTimersByTime(11);
      deadline.extend();
    }
    expect(ends).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(ends).toEqual(['it took longer than 100 ms']);
  });

  it('begins again when the time does not count, and is over when it is stopped', () => {
    let isAnswering = true;
    const { ends, deadline } = waiting({ timeout_ms: 30 }, () => !isAnswering);
    vi.advanceTimersByTime(65);
    expect(ends).toHaveLength(2);
    isAnswering = false;
    deadline.stop();
    vi.advanceTimersByTime(1_000);
    expect(ends).toHaveLength(2);
  });

  it('is without end when there is no limit', () => {
    const { ends, deadline } = waiting({});
    deadline.extend();
    vi.advanceTimersByTime(1e9);
    expect(ends).toEqual([]);
  });
});
