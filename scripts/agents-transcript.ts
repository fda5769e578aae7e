// Writes docs/agents-transcript.md: three real Claude Code agents on one repository, whose model is scripted and on loopback.
// One asks for permission, one is killed in the middle of a command, and a manager runs two coders.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installAgents } from '../test/agents/install-agents.ts';
import { realFleet } from '../test/agents/real-fleet.ts';
import { questionOf } from '../test/acp/acp-fleet.ts';
import { runnerOf } from '../test/operations/processes-of.ts';
import { runFleet, serveFleet } from '../test/support/fleets/fleet-process.ts';
import { agentOf, askAs, until } from '../test/support/fleets/fleet-under-test.ts';
import { scriptText } from '../test/support/model-server/model-script.ts';

type Step = Parameters<typeof scriptText>[0][number];

const PAGE = join(import.meta.dirname, '..', 'docs', 'agents-transcript.md');
const FREE = { permissions: [{ tool: '*', decision: 'allow' }] };
const COMMIT = 'git -c user.name=Claude -c user.email=claude@localhost commit -qm';

const missing = await installAgents((line) => console.error(line));
if (missing.some(({ name }) => name === 'claude')) throw new Error('Claude Code could not be installed.');
await using real = await realFleet('claude', {
  free: FREE,
  going: { ...FREE, on_crash: 'resume' },
  lead: { ...FREE, team: { agents: 2 } },
});
await using _served = await serveFleet(real.fleet.env);
const ask = askAs(real.fleet.fleet);
const [begun, go] = ['begun', 'go'].map((name) => join(real.fleet.directory, name)) as [string, string];

const parts: string[] = [
  `# Real coding agents in a fleet

<!-- Made by \`npm run transcript:agents\`. Edit scripts/agents-transcript.ts, not this page. -->

What \`fleet\` printed for real Claude Code agents, whose model is a scripted one on loopback, so that it needs no account. What the
model says and does is in the task, shown as \`(script)\`. Times, ids and commits differ in each run and are replaced.`,
];

await threeOnOneRepository();
await permission();
await killed();
await manager();
writeFileSync(PAGE, `${parts.join('\n\n')}\n`);

async function threeOnOneRepository(): Promise<void> {
  parts.push('## Three agents on one repository, each on a branch of its own');
  await note(['agents']);
  for (const [name, file] of [
    ['ada', 'login.txt'],
    ['bob', 'logout.txt'],
  ] as const)
    await create(name, 'free', `Write ${file} and commit it.`, ...written(file));
  await create('eve', 'coder', 'Say that you are ready.', { text: 'Ready.' });
  await note(['wait', 'ada', 'bob', 'eve']);
  await note(['list']);
  await note(['log', 'ada']);
}

async function permission(): Promise<void> {
  parts.push('## One asks for permission, and gets it from the terminal');
  const commands = `echo 'by Eve' > notes.txt && git add -A && ${COMMIT} 'add notes.txt'`;
  await give('eve', 'Write notes.txt and commit it.', bash(commands), { text: 'Written.' });
  await questionOf(ask, 'eve');
  await note(['list']);
  const { id } = await questionOf(ask, 'eve');
  await note(['approvals', 'eve', '--full']);
  await note(['approve', 'eve']);
  await note(['wait', 'eve']);
  await note(['history', 'eve']);
  await note(['approve', id]);
}

async function killed(): Promise<void> {
  parts.push(
    '## One is killed with -9 in the middle of a command, and finishes',
    'Its role says `on_crash: resume`. The process beside the agent is killed while a command runs; `fleet serve` starts it again.',
  );
  const { workspace_id } = await create('kim', 'going', 'Say that you are ready.', { text: 'Ready.' });
  await note(['wait', 'kim']);
  await give(
    'kim',
    'Write slowly.txt with a slow command, and commit it.',
    bash(`touch '${begun}'; while [ ! -e '${go}' ]; do sleep 0.1; done`),
    ...written('slowly.txt'),
  );
  await until(async () => existsSync(begun), Boolean);
  process.kill(runnerOf(real.fleet, workspace_id) ?? 0, 'SIGKILL');
  parts.push('`kill -9` of its runner, then:');
  writeFileSync(go, '');
  await note(['wait', 'kim', '--timeout', '120']);
  await note(['history', 'kim']);
  await note(['log', 'kim']);
}

async function manager(): Promise<void> {
  parts.push('## A manager creates two coders and waits for them');
  const coder = (name: string, file: string): Step => ({
    tool: 'mcp__team__create_agent',
    input: { project: 'Setup', name, role: 'free', task: taskText(`Write ${file}.`, ...written(file)) },
  });
  await create(
    'max',
    'lead',
    'Let two coders write a file each.',
    coder('kid-one', 'one.txt'),
    coder('kid-two', 'two.txt'),
    { tool: 'mcp__team__wait_for_agents', input: { agent_names: 'kid-one,kid-two', timeout_seconds: 120 } },
    { tool: 'mcp__fleet__report_task', input: { message: 'Both files are written.' } },
    { text: 'My team is done.' },
  );
  await note(['wait', 'max', '--timeout', '180']);
  await note(['history', 'max']);
  await note(['list']);
  parts.push('All branches of the repository, with their newest commit:');
  await until(
    () => agentOf(ask, 'kid-two'),
    ({ status }) => status === 'idle',
  );
  await note(['list', '--json'], (stdout) => {
    const { agents } = JSON.parse(stdout) as {
      agents: {
        name: string;
        created_by: string;
        tokens: number;
        git: { branch: string; last_commit: string };
      }[];
    };
    return agents
      .map(
        ({ name, created_by, git }) =>
          `${name}  ${git.branch}  ${git.last_commit}  (created by ${created_by})`,
      )
      .join('\n');
  });
}

async function create(name: string, role: string, task: string, ...steps: Step[]) {
  const args = ['create', 'Setup', '--name', name, '--role', role, '--spec', task, '-'];
  await note(args, undefined, taskText(task, ...steps));
  return agentOf(ask, name);
}

async function give(name: string, task: string, ...steps: Step[]): Promise<void> {
  await note(['task', name, '-'], undefined, taskText(task, ...steps));
}

function taskText(task: string, ...steps: Step[]): string {
  return `${task} ${scriptText(steps)}`;
}

function written(file: string): Step[] {
  return [
    write(file, 'made\n'),
    bash(`git add -A && ${COMMIT} 'add ${file}'`),
    { text: `${file} is committed.` },
  ];
}

function write(file: string, content: string): Step {
  return bash(`printf '${content.replaceAll('\n', '\\n')}' > ${file}`);
}

function bash(command: string): Step {
  return { tool: 'Bash', input: { command, description: 'does it' } };
}

async function note(args: readonly string[], read = (text: string) => text, stdin = ''): Promise<void> {
  const { stdout, stderr } = await runFleet(args, {
    env: { ...real.fleet.env, ANTHROPIC_API_KEY: 'scripted' },
    stdin,
  });
  const words = args.map((word) => (/[^\w./@=-]/.test(word) ? `'${word}'` : word));
  const given = stdin === '' ? '' : ` <<< '${stdin}'`;
  const text = same(`$ fleet ${words.join(' ')}${given}\n${read(stdout)}${stderr}`);
  parts.push(`\`\`\`text\n${text.trimEnd()}\n\`\`\``);
}

/** All that differs between two runs, and the scripts. */
function same(text: string): string {
  return text
    .replaceAll(/ ?SCRIPT:\[[^\n]*?…/g, ' (script)…')
    .replaceAll(/ ?SCRIPT:\[[^\n]*\]/g, ' (script)')
    .replaceAll(real.fleet.directory, '/somewhere')
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '00000000-0000-4000-8000-000000000000')
    .replaceAll(/\b[0-9a-f]{8}-(\d+)\b/g, '00000000-$1')
    .replaceAll(/\b[0-9a-f]{8}\b/g, '00000000')
    .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?Z?/g, '2026-01-01 12:00')
    .replaceAll(/\b\d\d:\d\d:\d\d(\.\d+)?/g, '12:00:00')
    .replaceAll(/\b[0-9a-f]{7}\b(?= )/g, 'abc1234');
}
