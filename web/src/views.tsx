import type { ComponentType, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { reconnects } from './api/event-stream.ts';
import type { SessionInfo } from './api/session.ts';
import { Empty, Loading, Problem } from './parts/states.tsx';
import { go, Link, useLocation } from './router.tsx';
import { useWaiting } from './use-waiting.ts';
import { FleetView } from './views/fleet/fleet-view.tsx';
import { InboxView } from './views/inbox/inbox-view.tsx';

/** The view of the address. Those that are not needed at once are loaded when they are first opened. */
export function Views({ info }: { info: SessionInfo }): JSX.Element {
  const { path } = useLocation();
  const [, view = '', name = '', part = ''] = path.split('/');
  switch (view) {
    case '':
      return <Start />;
    case 'inbox':
      return <InboxView />;
    case 'fleet':
      return <FleetView demo={info.demo} />;
    case 'agents':
      return (
        <Later
          load={() => import('./views/agent/agent-view.tsx').then(({ AgentView }) => AgentView)}
          props={{ name: decoded(name), part: part === '' ? 'conversation' : part }}
        />
      );
    case 'new':
      return (
        <Later
          load={() => import('./views/create/create-view.tsx').then((all) => all.CreateView)}
          props={{}}
        />
      );
    case 'merge':
      return (
        <Later load={() => import('./views/merge/merge-view.tsx').then((all) => all.MergeView)} props={{}} />
      );
    case 'tools':
      return (
        <Later load={() => import('./views/tools/tools-view.tsx').then((all) => all.ToolsView)} props={{}} />
      );
    case 'chat':
      return (
        <Later
          load={() => import('./views/chat/chat-view.tsx').then((all) => all.ChatView)}
          props={{ id: name, available: info.chat }}
        />
      );
    case 'settings':
      return (
        <Later
          load={() => import('./views/settings/settings-view.tsx').then((all) => all.SettingsView)}
          props={{ info }}
        />
      );
    default:
      return (
        <Empty title="There is no such page">
          <p>
            <Link to="/fleet">Show the fleet</Link>
          </p>
        </Empty>
      );
  }
}

/** An address that was cut in the middle of a character is shown as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The inbox while something waits there, else the fleet. */
function Start(): JSX.Element {
  const waiting = useWaiting();
  useEffect(() => {
    if (waiting !== undefined) go(waiting.length > 0 ? '/inbox' : '/fleet', { replace: true });
  }, [waiting]);
  return <Loading what="the fleet" />;
}

const loaded = new Map<string, unknown>();

function Later<Props extends object>({
  load,
  props,
}: {
  load: () => Promise<ComponentType<Props>>;
  props: Props;
}): JSX.Element {
  const key = load.toString();
  const [, again] = useState<object>();
  const [error, setError] = useState<unknown>();
  const View = loaded.get(key) as ComponentType<Props> | undefined;
  useEffect(() => {
    if (View !== undefined) return;
    const open = async (): Promise<void> => {
      try {
        loaded.set(key, await load());
        again({});
      } catch (thrown) {
        setError(thrown);
      }
    };
    void open();
  }, [key]);
  // A browser remembers that a part of the page could not be loaded.
  useEffect(() => (error === undefined ? undefined : reconnects.subscribe(() => location.reload())), [error]);
  if (View !== undefined) return <View {...props} />;
  return error === undefined ? (
    <Loading what="the view" />
  ) : (
    <Problem error={error} retry={() => location.reload()} />
  );
}
