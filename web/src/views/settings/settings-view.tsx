import type { JSX } from 'preact';
import { call } from '../../api/call.ts';
import { useObservable } from '../../api/observable.ts';
import { signOut, type SessionInfo } from '../../api/session.ts';
import { useQuery } from '../../api/use-query.ts';
import { askForNotifications, endNotifications, notifying } from '../../frame/notifications.ts';
import { announce } from '../../parts/announcements.tsx';
import { shortcutsOn, turnShortcuts } from '../../parts/shortcuts.ts';
import { Loaded } from '../../parts/states.tsx';
import { BrowserSessions } from './browser-sessions.tsx';
import { AccessTokens } from './access-tokens.tsx';
import { DoctorFindings } from './doctor-findings.tsx';

export function SettingsView({ info }: { info: SessionInfo }): JSX.Element {
  return (
    <>
      <h1>Settings</h1>
      <Notifications />
      <KeyboardShortcuts />
      <section>
        <h2>Doctor</h2>
        <DoctorFindings />
      </section>
      <BrowserSessions />
      <AccessTokens />
      <Configured />
      <section>
        <h2>This browser</h2>
        <p>
          Signed in as <bdi>{info.principal}</bdi> with the scopes {info.scopes.join(', ')}. Fleet{' '}
          {info.version}.
        </p>
        <button type="button" onClick={() => void endSession()}>
          Sign out
        </button>
      </section>
    </>
  );
}

/** Ends the session at the server too, where this browser has one. */
async function endSession(): Promise<void> {
  try {
    const { sessions } = await call('list_browser_sessions', {});
    const own = sessions.find(({ current }) => current);
    if (own !== undefined) await call('end_browser_session', { id: own.id });
  } catch {
    // A token without that right only leaves this browser.
  }
  signOut();
}

function Notifications(): JSX.Element {
  const on = useObservable(notifying);
  return (
    <section>
      <h2>Notifications</h2>
      <p>{on ? 'This browser notifies you when an agent needs you.' : 'This browser does not notify you.'}</p>
      <button
        type="button"
        onClick={() => (on ? endNotifications() : void askForNotifications().then((text) => announce(text)))}
      >
        {on ? 'Turn off' : 'Notify me when an agent needs me'}
      </button>
    </section>
  );
}

function KeyboardShortcuts(): JSX.Element {
  const on = useObservable(shortcutsOn);
  return (
    <section>
      <h2>Keyboard shortcuts</h2>
      <p>
        {on
          ? 'Single keys do something, such as y and n in the inbox. The key ? shows them all.'
          : 'Single keys do nothing. Ctrl K opens the palette.'}
      </p>
      <button type="button" aria-pressed={on} onClick={() => turnShortcuts(!on)}>
        Single-key shortcuts
      </button>
    </section>
  );
}

function Configured(): JSX.Element {
  const projects = useQuery('list_agent_projects', {});
  return (
    <section>
      <h2>Projects</h2>
      <Loaded query={projects} what="the projects">
        {(answer) => (
          <dl class="facts-list">
            {answer.projects.map(({ name, description, backend }) => (
              <div key={name}>
                <dt>
                  <bdi>{name}</bdi>
                </dt>
                <dd>
                  {backend}
                  {description === '' ? '' : `: ${description}`}
                </dd>
              </div>
            ))}
          </dl>
        )}
      </Loaded>
    </section>
  );
}
