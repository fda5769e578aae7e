import type { JSX } from 'preact';
import { useQuery } from '../../api/use-query.ts';
import { Loaded } from '../../parts/states.tsx';
import { visible } from '../../parts/visible.ts';

const TONES = { ok: 'passing', warn: 'attention', fail: 'failing' } as const;

/** What doctor finds on this machine, with what to do about it. */
export function DoctorFindings({ onlyProblems = false }: { onlyProblems?: boolean }): JSX.Element {
  const doctor = useQuery('show_doctor', {});
  return (
    <Loaded query={doctor} what="the findings">
      {({ checks }) => (
        <ul class="plain-list">
          {checks
            .filter(({ state }) => !onlyProblems || state !== 'ok')
            .map(({ name, state, message, fix }) => (
              <li key={name} class="finding">
                <span class={`tag ${TONES[state]}`}>{state}</span> <strong>{name}</strong>{' '}
                <bdi>{visible(message)}</bdi>
                {fix === undefined ? null : (
                  <p class="quiet">
                    <bdi>{visible(fix)}</bdi>
                  </p>
                )}
              </li>
            ))}
        </ul>
      )}
    </Loaded>
  );
}
