import type { JSX } from 'preact';
import type { ConflictRow } from '../../api/live.ts';
import { putAway } from '../../api/put-away.ts';
import { conflictId } from '../../needs-person.ts';
import { visible } from '../../parts/visible.ts';
import { Link } from '../../router.tsx';

/** Two branches that do not merge, or one that does not merge into its base. */
export function ConflictCard({ conflict }: { conflict: ConflictRow }): JSX.Element {
  const { agent, other, paths } = conflict;
  return (
    <>
      <header>
        <h2>
          <AgentLink name={agent} /> conflicts with {other === null ? 'the base' : <AgentLink name={other} />}
        </h2>
      </header>
      <p>
        Both change <bdi>{visible(paths.join(', '))}</bdi>. Whatever lands second has to be merged by hand.
      </p>
      <div class="buttons">
        <Link class="button" to="/merge">
          Show the forecast
        </Link>
        <button type="button" data-key="a" onClick={() => putAway(conflictId(conflict))}>
          Put away <kbd>a</kbd>
        </button>
      </div>
    </>
  );
}

function AgentLink({ name }: { name: string }): JSX.Element {
  return (
    <Link to={`/agents/${encodeURIComponent(name)}/changes`}>
      <bdi>{name}</bdi>
    </Link>
  );
}
