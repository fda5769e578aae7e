import type { JSX } from 'preact';
import type { AgentRow } from '../../api/live.ts';
import { costText } from '../../parts/cost.ts';
import { SafeLink } from '../../parts/safe-link.tsx';
import { StatusMark } from '../../parts/status-mark.tsx';
import { Ago } from '../../parts/time.tsx';
import { visible } from '../../parts/visible.ts';
import { Link } from '../../router.tsx';

/** One agent of the list. */
export function AgentLine({
  agent,
  selected,
  onSelect,
}: {
  agent: AgentRow;
  selected: boolean;
  onSelect: (() => void) | undefined;
}): JSX.Element {
  const { name, role, project, git, checks, pull_request, needs_attention, attention_reason } = agent;
  const doing = needs_attention
    ? (attention_reason ?? '')
    : (agent.current_task ?? agent.last_result ?? agent.last_task ?? '');
  return (
    <div class={`agent-line ${needs_attention || agent.stuck ? 'attention' : ''}`} data-agent={name}>
      {onSelect === undefined ? (
        <span />
      ) : (
        <input type="checkbox" aria-label={`Select ${name}`} checked={selected} onChange={onSelect} />
      )}
      <div class="who">
        <Link to={`/agents/${encodeURIComponent(name)}`}>
          <bdi>{name}</bdi>
        </Link>
        <StatusMark agent={agent} />
      </div>
      <div class="what">
        <span class="doing" title={visible(doing)}>
          <bdi>{visible(doing) || '–'}</bdi>
        </span>
        <span class="quiet">
          <bdi>{project}</bdi>, <bdi>{role}</bdi>
          {git?.branch == null ? null : (
            <>
              , <bdi class="branch">{git.branch}</bdi>
            </>
          )}
          {costText(agent) === '' ? null : `, ${costText(agent)}`}
        </span>
      </div>
      <div class="facts">
        {git === null || git.changed_files === 0 ? null : (
          <Link to={`/agents/${encodeURIComponent(name)}/changes`} class="changes">
            {git.changed_files} {git.changed_files === 1 ? 'file' : 'files'}{' '}
            <span class="plus">+{git.insertions}</span> <span class="minus">−{git.deletions}</span>
            <span class="visually-hidden"> changed by {name}</span>
          </Link>
        )}
        {checks === null || checks.state === 'not_run' ? null : (
          <span class={`tag ${checks.state}`}>checks {checks.state}</span>
        )}
        {pull_request === null ? null : (
          <SafeLink url={pull_request.url}>
            pull request {pull_request.status ?? ''}
            {pull_request.check_status === 'failing' ? ', CI failing' : ''}
          </SafeLink>
        )}
      </div>
      <div class="since quiet">
        <Ago at={agent.busy_since ?? agent.updated_at} suffix="" />
      </div>
    </div>
  );
}
