import type { JSX } from 'preact';

const STEPS: readonly (readonly [string, string])[] = [
  ['A fleet for a repository of yours', 'cd YOUR-REPOSITORY && fleet init && fleet serve'],
  ['Claude Code as an agent', 'fleet agents install claude && fleet agents login claude'],
  ['Claude Code in control of the fleet', 'fleet mcp install'],
];

/** What comes after the demo. */
export function OwnFleet(): JSX.Element {
  return (
    <section>
      <h2>This is the demo. Next:</h2>
      <dl class="facts-list">
        {STEPS.map(([what, command]) => (
          <div key={what}>
            <dt>{what}</dt>
            <dd>
              <code>{command}</code>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
