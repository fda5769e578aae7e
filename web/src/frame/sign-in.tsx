import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { signInByCode, signInByToken } from '../api/session.ts';

export function SignIn({
  problem,
  code,
}: {
  problem: string | undefined;
  code: string | undefined;
}): JSX.Element {
  const [busy, setBusy] = useState(false);
  const [token, setToken] = useState('');
  const run = (work: Promise<void>): void => {
    setBusy(true);
    void work.finally(() => setBusy(false));
  };
  return (
    <main class="sign-in">
      <h1>Fleet</h1>
      {problem === undefined ? null : (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {code === undefined ? (
        <>
          <p>
            To sign in, type this in a terminal of the machine where the fleet runs, and open the link that it
            prints:
          </p>
          <pre>
            <code>fleet open</code>
          </pre>
          <p class="quiet">
            It is a one-time link, valid for ten minutes. This browser then stays signed in for 30 days.
          </p>
          <form
            onSubmit={(event) => {
              event.preventDefault();
              run(signInByToken(token.trim()));
            }}
          >
            <label for="token">Or use a token</label>
            <div class="line">
              <input
                id="token"
                type="password"
                autocomplete="off"
                value={token}
                onInput={(event) => setToken(event.currentTarget.value)}
              />
              <button type="submit" disabled={busy || token.trim() === ''}>
                Sign in
              </button>
            </div>
          </form>
        </>
      ) : (
        <>
          <p>This browser will be able to operate the fleet and to answer the questions of its agents.</p>
          <button
            type="button"
            class="primary"
            disabled={busy}
            autofocus
            onClick={() => run(signInByCode(code))}
          >
            Sign in to Fleet
          </button>
        </>
      )}
    </main>
  );
}
