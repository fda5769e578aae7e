import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { wait } from './wait.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('a wait ends at its time, and not before', async () => {
  const over = vi.fn();
  void wait(1_000).then(over);
  await vi.advanceTimersByTimeAsync(999);
  expect(over).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(over).toHaveBeenCalled();
});

it('a wait ends with the reason of its signal, and leaves no timer', async () => {
  const ending = new AbortController();
  const waiting = wait(1_000, { signal: ending.signal });
  ending.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  await expect(wait(1_000, { signal: ending.signal })).rejects.toThrow('enough');
  expect(vi.getTimerCount()).toBe(0);
});
