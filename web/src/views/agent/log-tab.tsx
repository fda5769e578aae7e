import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { ofAgent, useQuery } from '../../api/use-query.ts';
import { AnsiText } from '../../parts/ansi-text.tsx';
import { Pager } from '../../parts/pager.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import type { Agent } from './agent.ts';

const LIVE_MS = 1_000;
const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

/** The log, newest page first, with a search in what is shown. */
export function LogTab({ agent }: { agent: Agent }): JSX.Element {
  const [page, setPage] = useState(1);
  const [text, setText] = useState('');
  const isLive = page === 1 && agent.status === 'busy';
  const log = useQuery(
    'show_agent_log',
    { agent_name: agent.name, page, page_size: 100 },
    { refreshOn: ofAgent(agent.name), ...(isLive ? { everyMs: LIVE_MS } : {}) },
  );
  return (
    <Loaded query={log} what="the log">
      {({ logs, total_pages, total_count }) => {
        const shown = logs
          .filter(({ message }) => message.toLowerCase().includes(text.toLowerCase()))
          .toReversed();
        return total_count === 0 ? (
          <Empty title="The log is empty" />
        ) : (
          <>
            <div class="filters">
              <input
                type="search"
                aria-label="Search this page of the log"
                placeholder="Search this page"
                value={text}
                onInput={(event) => setText(event.currentTarget.value)}
              />
              <span class="quiet">
                {shown.length} of {total_count} lines
              </span>
            </div>
            <pre class="log" tabIndex={0} aria-label={`Log of ${agent.name}`}>
              {shown.map(({ id, timestamp, message, level }) => (
                <div key={id} class={level.toLowerCase()}>
                  <time dateTime={timestamp}>{CLOCK.format(new Date(timestamp))}</time>{' '}
                  <AnsiText text={message} />
                </div>
              ))}
            </pre>
            <Pager page={page} pages={total_pages} onPage={setPage} />
          </>
        );
      }}
    </Loaded>
  );
}
