import { expect, it, vi } from 'vitest';
import { startKeeper } from './keeper.ts';
import type { OpenedFleet } from './open-fleet.ts';

it('works on each backend and on pull requests at once, and ends when it is asked to', async () => {
  const { calls, run } = keeperOf({});
  await run();
  expect(calls.toSorted()).toEqual(['agents', 'branches', 'coder one', 'coder two', 'pull requests']);
});

it('prints what fails, and goes on', async () => {
  const print = vi.spyOn(console, 'error').mockImplementation(() => {});
  const { calls, run } = keeperOf({ failing: true });
  await run();
  expect(calls).toHaveLength(5);
  expect(print.mock.calls.map(String).toSorted()).toEqual([
    'fleet: error in the keeper: agents',
    'fleet: error in the keeper: branches',
    'fleet: error in the keeper: coder one',
    'fleet: error in the keeper: coder two',
    'fleet: error in the keeper: pull requests',
  ]);
  print.mockRestore();
});

it('does nothing when it is asked to end before it begins', async () => {
  const { calls, run } = keeperOf({});
  await run(AbortSignal.abort());
  expect(calls).toEqual([]);
});

/** A keeper over parts that write down when they are asked, and ask it to end when all of them were. */
function keeperOf({ failing = false }) {
  const calls: string[] = [];
  const ending = new AbortController();
  const work = (name: string) => async (): Promise<void> => {
    calls.push(name);
    if (calls.length === 5) setImmediate(() => ending.abort());
    if (failing) throw name.startsWith('coder') ? name : new Error(name);
  };
  const backends = ['agents', 'coder one', 'coder two'].map((name) => ({
    name,
    pace_ms: 1_000,
    keep: work(name),
    ...(name === 'agents' ? { watch: work('branches') } : {}),
  }));
  const opened = {
    home: '/nowhere',
    fleet: { keepPullRequests: work('pull requests') },
    backends: async () => backends,
  } as unknown as OpenedFleet;
  return { calls, run: (signal = ending.signal) => startKeeper(opened, signal) };
}
