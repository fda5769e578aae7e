import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { Answer, Input, OperationName } from '../../../src/operations/table.ts';
import { call } from './call.ts';
import { connection, onEvent, type LiveEvent } from './event-stream.ts';

export interface Query<Value> {
  readonly data: Value | undefined;
  readonly error: unknown;
  readonly loading: boolean;
  reload(): void;
}

export interface QueryOptions {
  /** Asks again after these events. */
  readonly refreshOn?: (event: LiveEvent) => boolean;
  /** Waits with the first request while this is false. */
  readonly enabled?: boolean;
  readonly everyMs?: number;
}

/** The answer of an operation, asked again when the input or the fleet changes. The last answer stays until the next. */
export function useQuery<Name extends OperationName>(
  name: Name,
  input: Input<Name>,
  { refreshOn, enabled = true, everyMs }: QueryOptions = {},
): Query<Answer<Name>> {
  const key = JSON.stringify([name, input]);
  const [state, setState] = useState<{ key: string; data?: Answer<Name>; error?: unknown }>({ key });
  const [loading, setLoading] = useState(false);
  const [turn, setTurn] = useState(0);
  const matches = useRef(refreshOn);
  matches.current = refreshOn;
  const reload = useCallback(() => setTurn((now) => now + 1), []);

  useEffect(() => {
    if (!enabled) return;
    const ending = new AbortController();
    setLoading(true);
    call(name, input, ending.signal)
      .then(
        (data) => setState({ key, data }),
        (error: unknown) => {
          if (!ending.signal.aborted)
            setState((before) => ({ ...(before.key === key ? before : {}), key, error }));
        },
      )
      .finally(() => {
        if (!ending.signal.aborted) setLoading(false);
      });
    return () => ending.abort();
  }, [key, turn, enabled]);

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const soon = (): void => {
      timer ??= setTimeout(() => {
        timer = undefined;
        reload();
      }, 50);
    };
    const ends = [
      onEvent((event) => matches.current?.(event) === true && soon()),
      // Events of a break were missed by this view.
      connection.subscribe(() => connection.value === 'live' && matches.current !== undefined && soon()),
    ];
    const interval = everyMs === undefined ? undefined : setInterval(soon, everyMs);
    return () => {
      for (const end of ends) end();
      clearTimeout(timer);
      clearInterval(interval);
    };
  }, [reload, everyMs]);

  const current = state.key === key ? state : undefined;
  return { data: current?.data, error: current?.error, loading, reload };
}

/** Asks again after any event of one agent. */
export function ofAgent(name: string): (event: LiveEvent) => boolean {
  // Names are not case-sensitive, and the address may spell one differently.
  const wanted = name.toLowerCase();
  return ({ agent_name, kind }) => agent_name?.toLowerCase() === wanted && kind !== 'log';
}
