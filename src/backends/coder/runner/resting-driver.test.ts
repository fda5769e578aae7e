import { describe, expect, it } from 'vitest';
import type { DriverFact } from '../../../domain/fact.ts';
import type { Driver, DriverContext } from '../../../runner/programs/driver.ts';
import { restingDriver } from './resting-driver.ts';

const NEVER = new AbortController().signal;
const LONG_MS = 3_600_000;

/** An agent that has a session and says what is done to it. */
function sleeper() {
  const events: string[] = [];
  const closed = Promise.withResolvers<void>();
  const driver: Driver = {
    kind: 'sleeper',
    open: async ({ session, sink }) => {
      events.push(`open ${session}`);
      sink.fact({ kind: 'session.opened', session_id: 's-1', how: session === null ? 'new' : 'resumed' });
      return {
        run: async ({ message }) => {
          events.push(`run ${message}`);
          return { state: 'complete', reason: 'done' };
        },
        [Symbol.asyncDispose]: async () => {
          events.push('close');
          closed.resolve();
        },
      };
    },
  };
  return { driver, events, closed: closed.promise };
}

function context(facts: DriverFact[]): DriverContext {
  const sink = { log: () => {}, progress: () => {}, fact: (fact: DriverFact) => void facts.push(fact) };
  return { session: null, sink } as unknown as DriverContext;
}

const task = (message: string) => ({ id: message, message, resumed: false });

describe('an agent that rests', () => {
  it('goes after a while without a task, and comes back with its session for the next one', async () => {
    const { driver, events, closed } = sleeper();
    const facts: DriverFact[] = [];
    await using session = await restingDriver(driver, 1).open(context(facts));
    await closed;
    expect(await session.run(task('one'), NEVER)).toMatchObject({ state: 'complete' });
    expect(events.slice(0, 4)).toEqual(['open null', 'close', 'open s-1', 'run one']);
    expect(facts).toMatchObject([{ how: 'new' }, { how: 'resumed' }]);
  });

  it('stays between tasks that follow each other, and goes at the end', async () => {
    const { driver, events } = sleeper();
    {
      await using session = await restingDriver(driver, LONG_MS).open(context([]));
      await session.run(task('one'), NEVER);
      await session.run(task('two'), NEVER);
    }
    expect(events).toEqual(['open null', 'run one', 'run two', 'close']);
  });

  it('reports an agent that cannot be started again, and tries again with the next task', async () => {
    const { driver, closed } = sleeper();
    let broken = false;
    const frail: Driver = {
      kind: 'frail',
      open: (given) => (broken ? Promise.reject(new Error('no agent')) : driver.open(given)),
    };
    await using session = await restingDriver(frail, 1).open(context([]));
    await closed;
    broken = true;
    await expect(session.run(task('one'), NEVER)).rejects.toThrow('no agent');
    broken = false;
    expect(await session.run(task('two'), NEVER)).toMatchObject({ state: 'complete' });
  });
});
