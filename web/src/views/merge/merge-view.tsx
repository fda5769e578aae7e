import type { JSX } from 'preact';
import { fleet } from '../../api/live.ts';
import { useObservable } from '../../api/observable.ts';
import { useQuery } from '../../api/use-query.ts';
import { Empty, Loaded, Loading } from '../../parts/states.tsx';
import { setQuery, useLocation } from '../../router.tsx';
import { movesBranches } from '../../use-waiting.ts';
import { ConflictMatrix } from './conflict-matrix.tsx';
import { ForecastPanel } from './forecast-panel.tsx';

/** Will the fleet merge? */
export function MergeView(): JSX.Element {
  const data = useObservable(fleet);
  const { query } = useLocation();
  if (data === undefined) return <Loading what="the fleet" />;
  const projects = [...new Set(data.agents.map(({ project }) => project))].toSorted();
  const wanted = query.get('project');
  const project = projects.find((each) => each === wanted) ?? projects[0];
  return (
    <>
      <h1>Will the fleet merge?</h1>
      {project === undefined ? (
        <Empty title="There are no agents to merge" />
      ) : (
        <>
          {projects.length === 1 ? null : (
            <label>
              Project{' '}
              <select value={project} onChange={(event) => setQuery('project', event.currentTarget.value)}>
                {projects.map((each) => (
                  <option key={each} value={each}>
                    {each}
                  </option>
                ))}
              </select>
            </label>
          )}
          <ForecastPanel key={project} project={project} />
          <Conflicts project={project} />
        </>
      )}
    </>
  );
}

function Conflicts({ project }: { project: string }): JSX.Element {
  const conflicts = useQuery('list_conflicts', { project }, { refreshOn: movesBranches });
  return (
    <section>
      <h2>Conflicts now</h2>
      <Loaded query={conflicts} what="the conflicts">
        {(answer) => (
          <>
            <ConflictMatrix conflicts={answer.conflicts} />
            {answer.left_out.length === 0 ? null : (
              <p class="quiet">
                Left out: <bdi>{answer.left_out.join(', ')}</bdi> (no commits yet, or not on this machine)
              </p>
            )}
          </>
        )}
      </Loaded>
    </section>
  );
}
