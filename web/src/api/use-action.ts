import { useCallback, useState } from 'preact/hooks';
import type { Answer, Input, OperationName } from '../../../src/operations/table.ts';
import { announce } from '../parts/announcements.tsx';
import { messageOf } from './api-error.ts';
import { call } from './call.ts';
import { reload } from './live.ts';

export interface Action<Name extends OperationName> {
  readonly running: boolean;
  readonly error: unknown;
  /** Undefined when it failed: the error is kept here, or announced. */
  run(input: Input<Name>): Promise<Answer<Name> | undefined>;
  reset(): void;
}

/** Calls an operation that changes something. `quiet`: the caller shows the error itself. */
export function useAction<Name extends OperationName>(name: Name, { quiet = false } = {}): Action<Name> {
  const [state, setState] = useState<{ running: boolean; error?: unknown }>({ running: false });
  const run = useCallback(
    async (input: Input<Name>) => {
      setState({ running: true });
      try {
        const answer = await call(name, input);
        setState({ running: false });
        const { message } = answer as { readonly message?: unknown };
        if (typeof message === 'string') announce(message);
        return answer;
      } catch (error) {
        setState({ running: false, error });
        if (!quiet) announce(messageOf(error), 'problem');
        return undefined;
      } finally {
        reload();
      }
    },
    [name, quiet],
  );
  const reset = useCallback(() => setState({ running: false }), []);
  return { running: state.running, error: state.error, run, reset };
}
