import type { JSX } from 'preact';
import { useAction } from '../../api/use-action.ts';
import { ofAgent, useQuery } from '../../api/use-query.ts';
import { OperationButton } from '../../parts/button.tsx';
import { costText } from '../../parts/cost.ts';
import { SafeLink } from '../../parts/safe-link.tsx';
import { Ago, At, inWords } from '../../parts/time.tsx';
import { visible } from '../../parts/visible.ts';
import type { Agent } from './agent.ts';

/** Spec, checks, metadata, git, cost. */
export function DetailsTab({ agent }: { agent: Agent }): JSX.Element {
  const { git, pull_request } = agent;
  const facts: readonly (readonly [string, JSX.Element | string])[] = [
    ['Project', agent.project],
    ['Role', agent.role],
    ['Created', <At key="created" at={agent.created_at} />],
    ['Created by', agent.created_by],
    ...(costText(agent) === '' ? [] : [['Cost', costText(agent)] as const]),
    ...(git === null
      ? []
      : [
          ['Branch', git.branch ?? 'none'] as const,
          ['Base', `${git.base ?? ''}, ${git.ahead} ahead, ${git.behind} behind`] as const,
          [
            'Changes',
            <span key="changes">
              {git.changed_files} files, +{git.insertions} −{git.deletions}
              {git.dirty ? ', not all committed' : ''}
              {git.as_of === null ? null : (
                <>
                  , as of <Ago at={git.as_of} />
                </>
              )}
            </span>,
          ] as const,
        ]),
    ...(pull_request === null
      ? []
      : [
          [
            'Pull request',
            <span key="pr">
              <SafeLink url={pull_request.url}>{pull_request.url}</SafeLink> {pull_request.status ?? ''}
              {pull_request.check_status === null ? '' : `, CI ${pull_request.check_status}`}
              {pull_request.error === null ? '' : `, ${pull_request.error}`}
            </span>,
          ] as const,
        ]),
  ];
  return (
    <>
      <dl class="facts-list">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{typeof value === 'string' ? <bdi>{visible(value)}</bdi> : value}</dd>
          </div>
        ))}
      </dl>
      {agent.spec === null ? null : (
        <section>
          <h2>Spec</h2>
          <pre tabIndex={0}>
            <bdi>{visible(agent.spec)}</bdi>
          </pre>
        </section>
      )}
      {agent.checks === null ? null : <Checks agent={agent} />}
      {agent.metadata_count === 0 ? null : (
        <section>
          <h2>Metadata</h2>
          <dl class="facts-list">
            {Object.entries(agent.metadata).map(([name, { value, error, schema }]) => (
              <div key={name}>
                <dt title={schema.description}>
                  <bdi>{name}</bdi>
                </dt>
                <dd>
                  <bdi>{visible(error ?? (typeof value === 'string' ? value : JSON.stringify(value)))}</bdi>
                </dd>
              </div>
            ))}
          </dl>
        </section>
      )}
      {agent.refused_writes.length === 0 ? null : (
        <section>
          <h2>Refused writes</h2>
          <ul>
            {agent.refused_writes.map((each) => (
              <li key={each}>
                <bdi>{visible(each)}</bdi>
              </li>
            ))}
          </ul>
        </section>
      )}
      <section>
        <h2>Fleet metadata</h2>
        <dl class="facts-list">
          {Object.entries(agent.fleet_metadata).map(([name, value]) => (
            <div key={name}>
              <dt>
                <bdi>{name}</bdi>
              </dt>
              <dd>
                <bdi>{visible(value)}</bdi>
              </dd>
            </div>
          ))}
        </dl>
      </section>
    </>
  );
}

function Checks({ agent }: { agent: Agent }): JSX.Element {
  const checks = useQuery(
    'show_agent_checks',
    { agent_name: agent.name },
    { refreshOn: ofAgent(agent.name) },
  );
  const run = useAction('check_agent');
  const check = async (): Promise<void> => {
    await run.run({ agent_name: agent.name, again: true });
    checks.reload();
  };
  return (
    <section>
      <h2>Checks</h2>
      <OperationButton operation="check_agent" disabled={run.running} onClick={() => void check()}>
        {run.running ? 'Running the checks…' : 'Run the checks'}
      </OperationButton>
      {checks.data?.checks.map(({ name, state, output, took_ms, checked_at }) => (
        <details key={name} open={state === 'failing'}>
          <summary>
            <span class={`tag ${state}`}>{state}</span> <bdi>{name}</bdi>{' '}
            <span class="quiet">
              {took_ms === null ? '' : inWords(took_ms)}
              {checked_at === null ? null : (
                <>
                  , <Ago at={checked_at} />
                </>
              )}
            </span>
          </summary>
          <pre class="log" tabIndex={0}>
            <bdi>{visible(output ?? 'No output')}</bdi>
          </pre>
        </details>
      ))}
    </section>
  );
}
