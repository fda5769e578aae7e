// Writes docs/metadata-transcript.md: what the command prints of a Taskfile of hard fields, run by the real `task`, and of
// a pull request on a real forge while its checks and its state change.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { buildGitea } from '../test/forge/build-gitea.ts';
import { forgeFleet } from '../test/forge/forge-fleet.ts';
import { startGitea } from '../test/forge/gitea.ts';
import { taskfileFleet } from '../test/metadata/taskfile-fleet.ts';
import { runFleet } from '../test/support/fleets/fleet-process.ts';
import { agentOf, askAs, idleAgent, until } from '../test/support/fleets/fleet-under-test.ts';
import { goTask } from '../test/support/installs/go-task.ts';
import { HARD_TASKFILE } from './transcript/hard-taskfile.ts';

const PAGE = join(import.meta.dirname, '..', 'docs', 'metadata-transcript.md');
const LOOK_EVERY_MS = 250;

const parts: string[] = [
  `# What is seen of an agent's work

<!-- Made by \`npm run transcript:metadata\`. Edit scripts/metadata-transcript.ts, not this page. -->

What \`fleet\` printed for a real agent with a Taskfile of ten hard fields, run by the real \`task\`, and for a pull request that an
agent opened on a real forge (Gitea on loopback). Times, ids, commits and ports differ in each run and are replaced.`,
];

const bin = goTask();
const problem =
  bin === undefined ? 'There is no program task.' : await buildGitea((line) => console.error(line));
if (bin === undefined || problem !== undefined) throw new Error(problem);
await hardFields(bin);
await pullRequest();
writeFileSync(PAGE, `${parts.join('\n\n')}\n`);

async function hardFields(directory: string): Promise<void> {
  await using fleet = taskfileFleet(directory, { 'Taskfile.yml': HARD_TASKFILE });
  const ask = askAs(fleet.fleet);
  await idleAgent(ask, 'sony');
  await until(
    () => agentOf(ask, 'sony'),
    ({ metadata }) => Object.values(metadata).every(({ error }) => error?.includes('not collected') !== true),
  );
  parts.push('## A Taskfile of ten hard fields', block('yml', HARD_TASKFILE));
  for (const args of [['show', 'sony'], ['list']]) await note(args, fleet.env);
  parts.push('The same for a program, of which only the metadata is shown here:');
  await noteMetadata(['show', 'sony', '--json'], fleet.env);
  await noteMetadata(['list', '--json'], fleet.env);
}

async function pullRequest(): Promise<void> {
  await using gitea = await startGitea();
  await using fleet = await forgeFleet(gitea);
  const ask = askAs(fleet.fleet);
  const repository = `/repos/${gitea.user}/setup`;
  const shownWhen = async (said: string): Promise<void> => {
    while (!(await runFleet(['show', 'ada'], { env: fleet.env })).stdout.includes(said))
      await delay(LOOK_EVERY_MS);
    await note(['show', 'ada'], fleet.env, /^(status|git|pull request|fleet_mcp_\w+) |^ /);
  };
  parts.push(
    '## A pull request on a forge',
    'The agent `ada` commits, pushes its branch and opens a pull request, and tells nobody: it is found from the branch.',
  );
  await idleAgent(ask, 'ada', { role: 'opener', task: 'Add a thing' });
  await shownWhen('checks none');
  const { head } = (await gitea.call('GET', `${repository}/pulls/1`)) as { head: { sha: string } };
  for (const [state, said] of [
    ['pending', 'checks pending'],
    ['failure', 'checks failing'],
    ['success', 'checks passing'],
  ] as const) {
    parts.push(`Its check is \`${state}\` at the forge:`);
    await gitea.call('POST', `${repository}/statuses/${head.sha}`, { state, context: 'tests' });
    await shownWhen(said);
  }
  parts.push('A list can be narrowed to it, by its number or its status:');
  await note(['list', '--pr', '1'], fleet.env);
  parts.push('It is merged at the forge:');
  await until(
    () => gitea.call('GET', `${repository}/pulls/1`),
    ({ mergeable }) => mergeable === true,
  );
  await gitea.call('POST', `${repository}/pulls/1/merge`, { Do: 'merge' });
  await shownWhen('merged, ');
  await note(['list', '--pr', 'open'], fleet.env);
}

/** What a command prints, or the lines of it that match. */
async function note(args: readonly string[], env: NodeJS.ProcessEnv, lines = /.*/): Promise<void> {
  const { stdout, stderr } = await runFleet(args, { env });
  const shown = `${stdout}${stderr}`.split('\n').filter((line) => lines.test(line));
  parts.push(block('text', `$ fleet ${args.join(' ')}\n${shown.join('\n')}`));
}

async function noteMetadata(args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { stdout } = await runFleet(args, { env });
  const answer = JSON.parse(stdout) as { agent?: object; agents?: readonly object[] };
  const { metadata_count, metadata } = { ...(answer.agent ?? answer.agents?.[0]) } as Record<string, unknown>;
  parts.push(
    `\`fleet ${args.join(' ')}\``,
    block('json', JSON.stringify({ metadata_count, metadata }, null, 2)),
  );
}

function block(language: string, text: string): string {
  return `\`\`\`${language}\n${same(text).trimEnd()}\n\`\`\``;
}

/** All that differs between two runs. */
function same(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '00000000-0000-4000-8000-000000000000')
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:3000')
    .replaceAll(/(\d{4}-\d\d-\d\d )?\d\d:\d\d(:\d\d)?( \(\d+ ?\w+ ago\))/g, '12:00:00 (1s ago)')
    .replaceAll(/\b\d+(s|m)\b(?= *$)/gm, '1s')
    .replaceAll(/^( +)[0-9a-f]{7,} /gm, '$1abc1234 ')
    .replaceAll(/h{400,}/g, (long) => `${long.slice(0, 40)}…`)
    .replaceAll(/(huge\\n|huge\n *){20,}/g, 'huge\\nhuge\\n… ');
}
