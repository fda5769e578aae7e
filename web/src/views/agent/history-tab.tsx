import type { JSX } from 'preact';
import { useAction } from '../../api/use-action.ts';
import { ofAgent, useQuery } from '../../api/use-query.ts';
import { OperationButton } from '../../parts/button.tsx';
import { costText } from '../../parts/cost.ts';
import { Pager } from '../../parts/pager.tsx';
import { SafeLink } from '../../parts/safe-link.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { Ago, inWords } from '../../parts/time.tsx';
import { visible } from '../../parts/visible.ts';
import { Link, pageIn, setQuery, useLocation } from '../../router.tsx';
import type { Agent } from './agent.ts';

/** Tasks and reports with their results, newest first. The address has the page. */
export function HistoryTab({ agent }: { agent: Agent }): JSX.Element {
  const page = pageIn(useLocation().query);
  const history = useQuery(
    'show_agent_task_history',
    { agent_name: agent.name, page },
    { refreshOn: ofAgent(agent.name) },
  );
  const cancel = useAction('cancel_agent_task');
  return (
    <Loaded query={history} what="the history">
      {({ tasks, total_pages, total_count }) =>
        total_count === 0 ? (
          <Empty title="No task yet" />
        ) : (
          <>
            <ol class="history">
              {tasks.map((task) => (
                <li key={task.id} class="card">
                  <header>
                    <p>
                      <span class={`tag ${task.state}`}>
                        {task.kind === 'report' ? 'report' : task.state}
                      </span>{' '}
                      <span class="quiet">
                        by {task.source}, <Ago at={task.created_at} />
                        {task.started_at === null || task.finished_at === null
                          ? ''
                          : `, took ${inWords(Date.parse(task.finished_at) - Date.parse(task.started_at))}`}
                        {costText(task) === '' ? '' : `, ${costText(task)}`}
                      </span>
                    </p>
                    {task.state === 'queued' ? (
                      <OperationButton
                        operation="cancel_agent_task"
                        onClick={() => void cancel.run({ agent_name: agent.name, task_id: task.id })}
                      >
                        Cancel
                      </OperationButton>
                    ) : null}
                  </header>
                  <p class="pre">
                    <bdi>{visible(task.message)}</bdi>
                  </p>
                  {task.uri === null ? null : (
                    <p>
                      <SafeLink url={task.uri}>{task.uri}</SafeLink>
                    </p>
                  )}
                  {task.result === null ? null : (
                    <p class="pre result">
                      <bdi>{visible(task.result)}</bdi>
                    </p>
                  )}
                  {task.kind === 'task' && task.finished_at !== null ? (
                    <p>
                      <Link
                        to={`/agents/${encodeURIComponent(agent.name)}/changes?task=${encodeURIComponent(task.id)}`}
                      >
                        Changes of this task
                      </Link>
                    </p>
                  ) : null}
                </li>
              ))}
            </ol>
            <Pager
              page={page}
              pages={total_pages}
              onPage={(next) => setQuery('page', next === 1 ? '' : String(next))}
            />
          </>
        )
      }
    </Loaded>
  );
}
