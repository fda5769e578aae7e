import type { JSX } from 'preact';
import type { Answer } from '../../../../src/operations/table.ts';
import { visible } from '../../parts/visible.ts';

type Conflict = Answer<'list_conflicts'>['conflicts'][number];

const BASE = 'the base';

/** Who conflicts with whom, and in which files. */
export function ConflictMatrix({ conflicts }: { conflicts: readonly Conflict[] }): JSX.Element {
  if (conflicts.length === 0) return <p>No branch conflicts with the base or with another branch.</p>;
  const others = [...new Set(conflicts.map(({ other }) => other ?? BASE))];
  const agents = [...new Set(conflicts.map(({ agent }) => agent))];
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label="Conflicts">
      <table>
        <thead>
          <tr>
            <th scope="col">Agent</th>
            {others.map((other) => (
              <th key={other} scope="col">
                <bdi>{other}</bdi>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {agents.map((agent) => (
            <tr key={agent}>
              <th scope="row">
                <bdi>{agent}</bdi>
              </th>
              {others.map((other) => {
                const found = conflicts.find(
                  (each) => each.agent === agent && (each.other ?? BASE) === other,
                );
                return (
                  <td key={other} class={found === undefined ? '' : 'conflict'}>
                    {found === undefined
                      ? '–'
                      : found.paths.map((path) => <div key={path}>{visible(path)}</div>)}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
