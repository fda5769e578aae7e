import type { JSX } from 'preact';
import { ofAgent, useQuery } from '../../api/use-query.ts';
import { Loaded } from '../../parts/states.tsx';
import { At } from '../../parts/time.tsx';
import { visible } from '../../parts/visible.ts';
import { setQuery, useLocation } from '../../router.tsx';
import type { Agent } from './agent.ts';

/** What happened, and the status that each fact led to; the evidence at any moment. The address has the moment and the page. */
export function TimelineTab({ agent }: { agent: Agent }): JSX.Element {
  const { query } = useLocation();
  const at = Number.isNaN(Date.parse(query.get('at') ?? '')) ? '' : (query.get('at') ?? '');
  const cursor = query.get('cursor') ?? undefined;
  const moment = at === '' ? undefined : new Date(at).toISOString();
  const timeline = useQuery(
    'show_agent_timeline',
    { agent_name: agent.name, at: moment, cursor },
    { refreshOn: ofAgent(agent.name) },
  );
  return (
    <>
      <div class="filters">
        <label>
          Status at{' '}
          <input
            type="datetime-local"
            step="1"
            value={at}
            onChange={(event) => {
              setQuery('cursor', '');
              setQuery('at', event.currentTarget.value);
            }}
          />
        </label>
        {at === '' ? null : (
          <button type="button" onClick={() => setQuery('at', '')}>
            Now
          </button>
        )}
      </div>
      <Loaded query={timeline} what="the timeline">
        {({ status, facts, older }) => (
          <>
            <p class="lead">
              {status.status}: <bdi>{visible(status.status_reason)}</bdi>
            </p>
            <ol class="timeline">
              {facts.toReversed().map((fact) => (
                <li key={fact.seq}>
                  <span class="quiet">
                    <At at={fact.at} />
                  </span>{' '}
                  <span class="tag">{fact.status}</span> <bdi>{visible(fact.text)}</bdi>{' '}
                  <span class="quiet">
                    by <bdi>{fact.by.principal}</bdi>
                  </span>
                </li>
              ))}
            </ol>
            <div class="buttons">
              {older === null ? null : (
                <button type="button" onClick={() => setQuery('cursor', older)}>
                  Older
                </button>
              )}
              {cursor === undefined ? null : (
                <button type="button" onClick={() => setQuery('cursor', '')}>
                  Newest
                </button>
              )}
            </div>
          </>
        )}
      </Loaded>
    </>
  );
}
