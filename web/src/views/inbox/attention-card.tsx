import type { JSX } from 'preact';
import type { AgentRow } from '../../api/live.ts';
import { putAway } from '../../api/put-away.ts';
import { useAction } from '../../api/use-action.ts';
import { ofAgent, useQuery } from '../../api/use-query.ts';
import { failingCiId } from '../../needs-person.ts';
import { AnsiText } from '../../parts/ansi-text.tsx';
import { OperationButton, useMay } from '../../parts/button.tsx';
import { useDraft } from '../../api/drafts.ts';
import { LogBox } from '../../parts/log-box.tsx';
import { SafeLink } from '../../parts/safe-link.tsx';
import { StatusMark } from '../../parts/status-mark.tsx';
import { Ago } from '../../parts/time.tsx';
import { visible } from '../../parts/visible.ts';
import { Link } from '../../router.tsx';

const LINES = 12;

/** An agent that failed, is stuck, or says done while its checks fail: the reason, and the end of its log. */
export function AttentionCard({ agent }: { agent: AgentRow }): JSX.Element {
  const { name, attention_reason, status_reason, last_result, pull_request, status } = agent;
  const log = useQuery(
    'show_agent_log',
    { agent_name: name, page_size: LINES },
    { refreshOn: ofAgent(name) },
  );
  const acknowledge = useAction('acknowledge_agent');
  const cancel = useAction('cancel_agent_task');
  const restart = useAction('restart_agent');
  const task = useAction('start_agent_task');
  const { text, set, sent } = useDraft(`task ${agent.workspace_id}`);
  const mayAcknowledge = useMay('acknowledge_agent');
  const ci = failingCiId(agent);
  const markSeen = async (): Promise<void> => {
    if (agent.needs_attention && (await acknowledge.run({ agent_name: name })) === undefined) return;
    if (ci !== undefined) putAway(ci);
  };
  const mayTask = useMay('start_agent_task');
  const send = async (): Promise<void> => {
    const answer = await task.run({ agent_name: name, task_description: text, when_busy: 'queue' });
    if (answer !== undefined) sent(text);
  };
  return (
    <>
      <header>
        <h2>
          <Link to={`/agents/${encodeURIComponent(name)}`}>
            <bdi>{name}</bdi>
          </Link>{' '}
          <StatusMark agent={agent} />
        </h2>
        <p class="quiet">
          <Ago at={agent.updated_at} />
        </p>
      </header>
      <p>
        <strong>
          <bdi>{visible(attention_reason ?? status_reason)}</bdi>
        </strong>
      </p>
      {pull_request?.check_status === 'failing' ? (
        <p>
          CI fails on <SafeLink url={pull_request.url}>{pull_request.url}</SafeLink>
        </p>
      ) : null}
      {last_result === null ? null : (
        <p class="result">
          <bdi>{visible(last_result)}</bdi>
        </p>
      )}
      {log.data === undefined || log.data.logs.length === 0 ? null : (
        <LogBox label={`End of the log of ${name}`}>
          {log.data.logs.toReversed().map(({ id, message, level }) => (
            <div key={id} class={level.toLowerCase()}>
              <AnsiText text={message} />
            </div>
          ))}
        </LogBox>
      )}
      {mayTask && status !== 'failed' ? (
        <form
          class="line"
          onSubmit={(event) => {
            event.preventDefault();
            void send();
          }}
        >
          <input
            aria-label={`Next task for ${name}`}
            placeholder="What should it do next?"
            value={text}
            onInput={(event) => set(event.currentTarget.value)}
          />
          <button type="submit" class="primary" disabled={text.trim() === '' || task.running}>
            Send
          </button>
        </form>
      ) : null}
      <div class="buttons">
        {mayAcknowledge || !agent.needs_attention ? (
          <button type="button" data-key="a" disabled={acknowledge.running} onClick={() => void markSeen()}>
            {agent.needs_attention ? 'Mark as seen' : 'Put away'} <kbd>a</kbd>
          </button>
        ) : null}
        {agent.stuck ? (
          <OperationButton
            operation="cancel_agent_task"
            disabled={cancel.running}
            onClick={() => void cancel.run({ agent_name: name })}
          >
            Cancel the task
          </OperationButton>
        ) : null}
        {status === 'failed' || agent.stuck ? (
          <OperationButton
            operation="restart_agent"
            disabled={restart.running}
            onClick={() => void restart.run({ agent_name: name })}
          >
            Restart
          </OperationButton>
        ) : null}
        <Link class="button" to={`/agents/${encodeURIComponent(name)}/changes`}>
          Changes
        </Link>
      </div>
    </>
  );
}
