import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { Answer, Input, OperationName } from '../../../src/operations/table.ts';
import { call } from './call.ts';
import { connection, onEvent, reconnects, type LiveEvent } from './event-stream.ts';

export interface Query<Value> {
  readonly data: Value | undefined;
  readonly error: unknown;
  reload(): void;
}

export interface QueryOptions {
  /** Asks again after these events. */
  readonly refreshOn?: (event: LiveEvent) => boolean;
  /** Waits with the first request while this is false. */
  readonly enabled?: boolean;
  readonly everyMs?: number;
}

const SOON_MS = 50;

/** The answer of an operation, asked again when the input or the fleet changes. The last answer stays until the next. A
 *  request that runs is never cut off by another one: what changed meanwhile is asked for when it has ended. */
export function useQuery<Name extends OperationName>(
  name: Name,
  input: Input<Name>,
  { refreshOn, enabled = true, everyMs }: QueryOptions = {},
): Query<Answer<Name>> {
  const key = JSON.stringify([name, input]);
  const [state, setState] = useState<{ key: string; data?: Answer<Name>; error?: unknown }>({ key });
  const matches = useRef(refreshOn);
  matches.current = refreshOn;
  const run = useRef(() => {});
  const reload = useCallback(() => run.current(), []);

  useEffect(() => {
    if (!enabled) return;
    const ending = new AbortController();
    let [running, stale] = [false, false];
    const ask = async (): Promise<void> => {
      try {
        const data = await call(name, input, ending.signal);
        if (!ending.signal.aborted) setState({ key, data });
      } catch (error) {
        if (!ending.signal.aborted)
          setState((before) => ({ ...(before.key === key ? before : {}), key, error }));
      }
    };
    run.current = () => {
      stale = true;
      if (running) return;
      running = true;
      const work = async (): Promise<void> => {
        while (stale && !ending.signal.aborted) {
          stale = false;
          await ask();
        }
        running = false;
      };
      void work();
    };
    run.current();
    return () => {
      ending.abort();
      run.current = () => {};
    };
  }, [key, enabled]);

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const soon = (): void => {
      timer ??= setTimeout(() => {
        timer = undefined;
        reload();
      }, SOON_MS);
    };
    const ends = [
      onEvent((event) => matches.current?.(event) === true && soon()),
      // Events before the stream began were missed by this view.
      connection.subscribe(() => connection.value === 'live' && matches.current !== undefined && soon()),
      // Whatever was asked while the server was away failed, and it may say something else now.
      reconnects.subscribe(soon),
    ];
    const interval = everyMs === undefined ? undefined : setInterval(soon, everyMs);
    return () => {
      for (const end of ends) end();
      clearTimeout(timer);
      clearInterval(interval);
    };
  }, [reload, everyMs]);

  const current = state.key === key ? state : undefined;
  return { data: current?.data, error: current?.error, reload };
}

/** Asks again after any event of one agent. */
export function ofAgent(name: string): (event: LiveEvent) => boolean {
  // Names are not case-sensitive, and the address may spell one differently.
  const wanted = name.toLowerCase();
  return ({ agent_name, kind }) => agent_name?.toLowerCase() === wanted && kind !== 'log';
}
