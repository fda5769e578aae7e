import type { JSX } from 'preact';
import { useAction } from '../../api/use-action.ts';
import { signOut } from '../../api/session.ts';
import { useQuery } from '../../api/use-query.ts';
import { OperationButton, useMay } from '../../parts/button.tsx';
import { Loaded } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';

/** Browsers that are signed in, and a way to end each. */
export function BrowserSessions(): JSX.Element | null {
  const maySee = useMay('list_browser_sessions');
  const sessions = useQuery('list_browser_sessions', {}, { enabled: maySee });
  const end = useAction('end_browser_session');
  const endOne = async (id: string, current: boolean): Promise<void> => {
    if ((await end.run({ id })) === undefined) return;
    if (current) signOut();
    else sessions.reload();
  };
  if (!maySee) return null;
  return (
    <section>
      <h2>Browsers</h2>
      <p class="quiet">
        <code>fleet open</code> makes a link for another browser or a phone.
      </p>
      <Loaded query={sessions} what="the browsers">
        {(answer) => (
          <ul class="plain-list">
            {answer.sessions.map(({ id, browser, created_at, last_seen_at, current }) => (
              <li key={id} class="line-item">
                <span>
                  <bdi>{browser}</bdi>
                  {current ? ' (this one)' : ''}{' '}
                  <span class="quiet">
                    signed in <Ago at={created_at} />, last seen <Ago at={last_seen_at} />
                  </span>
                </span>
                <OperationButton operation="end_browser_session" onClick={() => void endOne(id, current)}>
                  {current ? 'Sign out' : 'End'}
                </OperationButton>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </section>
  );
}
