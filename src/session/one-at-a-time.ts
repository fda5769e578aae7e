import type { Approver } from './tools/approver.ts';

/** Calls run side by side, and a person reads one question at a time. */
export function oneAtATime(approver: Approver): Approver {
  let last: Promise<unknown> = Promise.resolve();
  return {
    ask: (question, signal) => {
      const next = last.then(() => {
        signal.throwIfAborted();
        return approver.ask(question, signal);
      });
      last = next.catch(() => {});
      return next;
    },
  };
}
