import type { JSX } from 'preact';
import type { AgentRow } from '../../api/live.ts';
import { useQuery } from '../../api/use-query.ts';
import { visible } from '../../parts/visible.ts';
import { Link } from '../../router.tsx';

/** Agents whose work does not merge. They are shown last: nobody waits for an answer to them. */
export function ConflictCards({ agents }: { agents: readonly AgentRow[] }): JSX.Element | null {
  const found = useQuery(
    'list_conflicts',
    {},
    { enabled: agents.length > 1, refreshOn: ({ kind }) => kind === 'task.ended' || kind === 'landed' },
  );
  const conflicts = found.data?.conflicts ?? [];
  if (conflicts.length === 0) return null;
  return (
    <section>
      <h2>Conflicts</h2>
      <ul class="plain-list">
        {conflicts.map(({ agent, other, paths }) => (
          <li key={`${agent}-${other ?? ''}`}>
            <bdi>{agent}</bdi> and {other === null ? 'the base' : <bdi>{other}</bdi>} change{' '}
            <bdi>{visible(paths.join(', '))}</bdi>. <Link to="/merge">Show the forecast</Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
