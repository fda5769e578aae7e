import type { Approver } from './tools/approver.ts';

/** Calls run side by side, and a person reads one question at a time. */
export function oneAtATime(approver: Approver): Approver {
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <Value>(ask: () => Promise<Value>, signal: AbortSignal): Promise<Value> => {
    const next = last.then(() => {
      signal.throwIfAborted();
      return ask();
    });
    last = next.catch(() => {});
    return next;
  };
  return {
    ask: (question, signal) => inTurn(() => approver.ask(question, signal), signal),
    answer: (question, signal) => inTurn(() => approver.answer(question, signal), signal),
  };
}
