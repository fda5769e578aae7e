import type { JSX } from 'preact';
import { useQuery } from '../../api/use-query.ts';
import { useMay } from '../../parts/button.tsx';
import { Empty } from '../../parts/states.tsx';
import { Link } from '../../router.tsx';
import { DoctorFindings } from '../settings/doctor-findings.tsx';

/** What a fleet without agents says to do next. */
export function FirstSteps(): JSX.Element {
  const projects = useQuery('list_agent_projects', {});
  const mayCreate = useMay('create_agent');
  const names = projects.data?.projects.map(({ name }) => name) ?? [];
  return (
    <>
      <h1>Fleet</h1>
      <Empty title="No agents yet">
        {names.length === 0 ? (
          <>
            <p>No project is configured. In a terminal, in a git repository:</p>
            <pre>
              <code>fleet init</code>
            </pre>
          </>
        ) : (
          <>
            {mayCreate ? (
              <p>
                <Link to="/new" class="button primary">
                  Create the first agent
                </Link>
              </p>
            ) : null}
            <p>Or in a terminal:</p>
            <pre>
              <code>{`fleet create ${names[0] ?? 'PROJECT'} "What it should do"`}</code>
            </pre>
          </>
        )}
      </Empty>
      <section>
        <h2>What this machine still needs</h2>
        <DoctorFindings onlyProblems />
      </section>
    </>
  );
}
