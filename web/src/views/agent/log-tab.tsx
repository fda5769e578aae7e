import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ofAgent, useQuery } from '../../api/use-query.ts';
import { AnsiText } from '../../parts/ansi-text.tsx';
import { LogBox } from '../../parts/log-box.tsx';
import { Pager } from '../../parts/pager.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { pageIn, setQuery, useLocation } from '../../router.tsx';
import type { Agent } from './agent.ts';

const LIVE_MS = 1_000;
const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
/** The whole log is searched: not again for each letter that is typed. */
const TYPING_MS = 250;

/** The log, newest page first, with a search in all of it. The address has the search and the page. */
export function LogTab({ agent }: { agent: Agent }): JSX.Element {
  const { query } = useLocation();
  const search = query.get('search') ?? '';
  const page = pageIn(query);
  const isLive = page === 1 && agent.status === 'busy';
  const log = useQuery(
    'show_agent_log',
    { agent_name: agent.name, page, page_size: 100, search: search === '' ? undefined : search },
    { refreshOn: ofAgent(agent.name), ...(isLive ? { everyMs: LIVE_MS } : {}) },
  );
  return (
    <>
      <div class="filters">
        <SearchField search={search} />
        {log.data === undefined ? null : (
          <span class="quiet" role="status">
            {log.data.total_count}{' '}
            {search === ''
              ? log.data.total_count === 1
                ? 'entry'
                : 'entries'
              : log.data.total_count === 1
                ? 'match'
                : 'matches'}
          </span>
        )}
      </div>
      <Loaded query={log} what="the log">
        {({ logs, total_pages, total_count }) =>
          total_count === 0 ? (
            <Empty title={search === '' ? 'The log is empty' : 'No entry matches'} />
          ) : (
            <>
              <LogBox key={`${page} ${search}`} label={`Log of ${agent.name}`} tall>
                {logs.toReversed().map(({ id, timestamp, message, level }) => (
                  <div key={id} class={level.toLowerCase()}>
                    <time dateTime={timestamp}>{CLOCK.format(new Date(timestamp))}</time>{' '}
                    <AnsiText text={message} />
                  </div>
                ))}
              </LogBox>
              <Pager
                page={page}
                pages={total_pages}
                onPage={(next) => setQuery('page', next === 1 ? '' : String(next))}
              />
            </>
          )
        }
      </Loaded>
    </>
  );
}

function SearchField({ search }: { search: string }): JSX.Element {
  const [text, setText] = useState(search);
  useEffect(() => setText(search), [search]);
  useEffect(() => {
    if (text === search) return;
    const timer = setTimeout(() => {
      setQuery('page', '');
      setQuery('search', text);
    }, TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <input
      type="search"
      aria-label="Search the log"
      placeholder="Search the whole log"
      value={text}
      onInput={(event) => setText(event.currentTarget.value)}
    />
  );
}
