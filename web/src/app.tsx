import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { UNREACHABLE } from './api/api-error.ts';
import { follow, reconnects } from './api/event-stream.ts';
import { useObservable } from './api/observable.ts';
import { session } from './api/session.ts';
import { Announcements, withdraw } from './parts/announcements.tsx';
import { useClock } from './parts/time.tsx';
import { Frame } from './frame/frame.tsx';
import { SignIn } from './frame/sign-in.tsx';
import { Views } from './views.tsx';

export function App(): JSX.Element {
  const state = useObservable(session);
  useClock();
  useEffect(() => {
    if (state.kind !== 'signed-in') return;
    const ending = new AbortController();
    void follow(ending.signal);
    return () => ending.abort();
  }, [state.kind]);
  useEffect(() => reconnects.subscribe(() => withdraw(UNREACHABLE)), []);
  return (
    <>
      {state.kind === 'signed-in' ? (
        <Frame info={state.info}>
          <Views info={state.info} />
        </Frame>
      ) : state.kind === 'signed-out' ? (
        <SignIn problem={state.problem} code={state.code} />
      ) : (
        <p class="state quiet" role="status">
          {state.problem ?? 'Loading…'}
        </p>
      )}
      <Announcements />
    </>
  );
}
