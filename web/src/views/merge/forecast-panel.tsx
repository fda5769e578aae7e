import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Answer } from '../../../../src/operations/table.ts';
import { ApiError } from '../../api/api-error.ts';
import { useAction } from '../../api/use-action.ts';
import { useQuery } from '../../api/use-query.ts';
import { OperationButton } from '../../parts/button.tsx';
import { Problem } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { visible } from '../../parts/visible.ts';
import { Link } from '../../router.tsx';
import { movesBranches } from '../../use-waiting.ts';

type Forecast = Answer<'show_forecast'>;
type LandResult = Answer<'land_agents'>['results'][number];

const LOOK_MS = 2_000;

/** The newest forecast, a new one, and landing in its order. */
export function ForecastPanel({ project }: { project: string }): JSX.Element {
  const [running, setRunning] = useState(false);
  const last = useQuery(
    'show_forecast',
    { project },
    { refreshOn: movesBranches, ...(running ? { everyMs: LOOK_MS } : {}) },
  );
  const start = useAction('start_forecast');
  const none = last.error instanceof ApiError && last.error.reason === 'no_forecast';
  useEffect(
    () => setRunning(start.running || last.data?.state === 'running'),
    [start.running, last.data?.state],
  );
  const run = async (): Promise<void> => {
    await start.run({ project });
    last.reload();
  };
  return (
    <section>
      <h2>Forecast</h2>
      <p class="quiet">
        All branches are merged in order of their creation, without changing anything, and the checks run on
        the result.
      </p>
      <OperationButton
        operation="start_forecast"
        tone="primary"
        disabled={start.running}
        onClick={() => void run()}
      >
        {running ? 'Merging and checking…' : last.data === undefined ? 'Make a forecast' : 'Make it again'}
      </OperationButton>
      {last.data !== undefined ? (
        <Result forecast={last.data} />
      ) : last.error !== undefined && !none ? (
        <Problem error={last.error} />
      ) : null}
    </section>
  );
}

function Result({ forecast }: { forecast: Forecast }): JSX.Element {
  const { order, merged, conflicts, checks, left_out } = forecast;
  const breakers = new Map(
    checks.flatMap(({ name, broken_by }) => (broken_by === null ? [] : [[broken_by, name] as const])),
  );
  const good = merged.filter((name) => !breakers.has(name));
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(good));
  const [results, setResults] = useState<readonly LandResult[]>([]);
  const land = useAction('land_agents');
  useEffect(() => setChosen(new Set(good)), [forecast.as_of, good.join(' ')]);
  const names = order.filter((name) => chosen.has(name));
  const landAll = async (): Promise<void> => {
    const answer = await land.run({ agent_names: names });
    if (answer !== undefined) setResults(answer.results);
  };
  return (
    <>
      <p class="lead">
        <bdi>{visible(forecast.message)}</bdi>{' '}
        <span class="quiet">
          <Ago at={forecast.as_of} />
        </span>
      </p>
      {order.length === 0 ? null : (
        <ol class="forecast">
          {order.map((name) => {
            const conflict = conflicts.find(({ agent }) => agent === name);
            const broken = breakers.get(name);
            const result = results.find(({ agent_name }) => agent_name === name);
            return (
              <li key={name}>
                <label class="check">
                  <input
                    type="checkbox"
                    checked={chosen.has(name)}
                    onChange={() =>
                      setChosen((before) =>
                        before.has(name)
                          ? new Set([...before].filter((each) => each !== name))
                          : new Set([...before, name]),
                      )
                    }
                  />{' '}
                  <bdi>{name}</bdi>
                </label>{' '}
                {conflict !== undefined ? (
                  <span class="tag failing">
                    conflicts with {conflict.with.length === 0 ? 'the base' : conflict.with.join(', ')} in{' '}
                    {visible(conflict.paths.join(', '))}
                  </span>
                ) : broken !== undefined ? (
                  <span class="tag failing">breaks {broken}</span>
                ) : (
                  <span class="tag passing">merges</span>
                )}{' '}
                <Link to={`/agents/${encodeURIComponent(name)}/changes`}>changes</Link>
                {result === undefined ? null : (
                  <p class={result.state === 'failed' ? 'error' : 'quiet'}>
                    <bdi>{visible(result.message)}</bdi>
                  </p>
                )}
              </li>
            );
          })}
        </ol>
      )}
      {checks.length === 0 ? null : (
        <p>
          {checks.map(({ name, state }) => (
            <span key={name} class={`tag ${state}`}>
              {name}: {state.replace('_', ' ')}
            </span>
          ))}
        </p>
      )}
      {left_out.length === 0 ? null : (
        <p class="quiet">
          Left out: <bdi>{left_out.join(', ')}</bdi>
        </p>
      )}
      {order.length === 0 ? null : (
        <OperationButton
          operation="land_agents"
          disabled={names.length === 0 || land.running}
          onClick={() => void landAll()}
        >
          {land.running ? 'Landing…' : `Land ${names.length} in this order`}
        </OperationButton>
      )}
    </>
  );
}
