// Writes docs/merge-transcript.md: six agents on a library from PyPI, with its own tests as the check, from their forecast
// to the branch of the project.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { openFleet } from '../src/fleet/open-fleet.ts';
import { runFleet } from '../test/support/fleets/fleet-process.ts';
import { agentOf, askAs, until, waitIdle, type Ask } from '../test/support/fleets/fleet-under-test.ts';
import { LIBRARY, RESOLUTION, SIX_AGENTS } from './transcript/six-agents.ts';

const PAGE = join(import.meta.dirname, '..', 'docs', 'merge-transcript.md');
const TESTS = 'python3 -B -m unittest discover --quiet -s tests';
const LIMIT_MS = 120_000;

const parts: string[] = [
  `# A transcript of review and merge

<!-- Made by \`npm run transcript:merge\`. Edit scripts/merge-transcript.ts, not this page. -->

Six agents work on [${LIBRARY.replace('==', ' ')}](https://github.com/kjd/idna), a library with 6,250 tests, at the same time. Two of
them conflict. One breaks the test of another without a conflict. The forecast finds both before anybody lands.

The agents are scripted: each makes the change that it was asked for. Everything else is real: the library and its tests,
the repositories, the merges, the checks and the landings. Ids and commits differ in each run and are replaced.`,
];

const directory = mkdtempSync(join(tmpdir(), 'fleet-merge-'));
const repository = join(directory, 'idna');
try {
  await main();
} finally {
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
}

async function main(): Promise<void> {
  takeLibrary();
  const env = configure();
  await using opened = openFleet({ env, cwd: directory });
  const ask = askAs(opened.fleet);
  const note = (args: readonly string[]): Promise<string> => noteCommand(args, env);
  await work(ask);
  await beforeLanding(note);
  await landing(ask, note);
  for (const { name } of SIX_AGENTS) await ask('delete_agent', { agent_name: name });
  writeFileSync(PAGE, `${parts.join('\n\n')}\n`);
}

async function work(ask: Ask): Promise<void> {
  const rows = SIX_AGENTS.map(({ name, wish }) => `| ${name} | ${wish} |`);
  parts.push('## The work', `| agent | task |\n|---|---|\n${rows.join('\n')}`);
  // One after the other: a forecast merges them in the order of their creation.
  for (const { name, script } of SIX_AGENTS) {
    await ask('create_agent', { project: 'idna', name, task: script });
    await waitIdle(ask, name);
    await until(
      () => agentOf(ask, name),
      ({ checks }) => checks?.state === 'passing',
      LIMIT_MS,
    );
  }
}

async function beforeLanding(note: (args: readonly string[]) => Promise<string>): Promise<void> {
  parts.push('The tests pass for each of them alone.');
  parts.push('## Before anybody lands', 'Which of them conflict:');
  await note(['conflicts']);
  parts.push('Do all of them merge, and do the tests pass on the result?');
  await note(['forecast', '--project', 'idna']);
}

async function landing(ask: Ask, note: (args: readonly string[]) => Promise<string>): Promise<void> {
  parts.push('## Four land', 'Each is merged and checked on top of the one before:');
  await note(['land', 'ada', 'kay', 'sony', 'zoe']);
  parts.push('## One goes back to its agent', 'Nothing moves. The conflict becomes the next task of `milo`:');
  await note(['land', 'milo', '--assign']);
  await waitIdle(ask, 'milo');
  parts.push('The agent has merged the new base and resolved the conflict:');
  await note(['diff', 'milo']);
  await note(['land', 'milo']);
  parts.push(
    '## One is undone',
    'The work of `papi` merges without a conflict. The check fails on the merged files:',
  );
  await note(['land', 'papi']);
  parts.push('Somebody lands it nevertheless, and takes it back:');
  const landed = await note(['land', 'papi', '--skip-checks']);
  const [id = ''] = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(landed) ?? [];
  await note(['land', '--undo', id]);
  parts.push(
    '## The result',
    block(
      `$ git log --oneline --first-parent main\n${git('log', '--format=%h %s', '--first-parent', 'main')}`,
    ),
  );
  const { status } = { status: git('status', '--short') };
  if (status !== '') throw new Error(`the checkout is not clean: ${status}`);
  execFileSync('sh', ['-c', TESTS], { cwd: repository, stdio: 'ignore' });
  parts.push('The checkout of the project is clean, and all tests pass in it.');
}

/** The sources as PyPI has them, as a repository with one commit. */
function takeLibrary(): void {
  const pip = [
    '-m',
    'pip',
    'download',
    '--quiet',
    '--no-deps',
    '--no-binary',
    ':all:',
    '--dest',
    directory,
    LIBRARY,
  ];
  execFileSync('python3', pip, { stdio: 'inherit' });
  const [archive = ''] = readdirSync(directory).filter((name) => name.endsWith('.tar.gz'));
  execFileSync('tar', ['xzf', join(directory, archive), '-C', directory]);
  renameSync(join(directory, archive.replace('.tar.gz', '')), repository);
  git('init', '--quiet', '--initial-branch=main');
  git('add', '.');
  git('commit', '--quiet', '-m', LIBRARY.replace('==', ' '));
}

function configure(): NodeJS.ProcessEnv {
  // The task that Fleet writes is in English, those of this script are for the shell.
  const agent = [
    'git config user.name Agent; git config user.email agent@localhost',
    'task=$(cat)',
    'case $task in *conflict*) task=$1 ;; esac',
    'eval "$task"',
  ];
  const command = ['sh', '-c', agent.join('\n'), 'agent', RESOLUTION];
  const file = join(directory, 'fleet.yaml');
  const config = {
    version: 1,
    projects: { idna: { repository, default_role: 'scripted', checks: { tests: TESTS } } },
    roles: { scripted: { agent: 'command', command } },
  };
  writeFileSync(file, stringify(config));
  const home = join(directory, 'home');
  mkdirSync(home, { mode: 0o700 });
  return { ...process.env, FLEET_HOME: home, FLEET_CONFIG: file, COLUMNS: '120' };
}

async function noteCommand(args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  const { stdout, stderr } = await runFleet(args, { env, cwd: repository });
  const said = `${stdout}${stderr}`;
  parts.push(block(`$ fleet ${args.join(' ')}\n${said}`));
  return said;
}

function git(...args: readonly string[]): string {
  const identity = ['-c', 'user.name=You', '-c', 'user.email=you@localhost'];
  return execFileSync('git', ['-C', repository, ...identity, ...args], { encoding: 'utf8' }).trim();
}

function block(text: string): string {
  return `\`\`\`text\n${same(text).trimEnd()}\n\`\`\``;
}

/** All that differs between two runs. */
function same(text: string): string {
  return (
    text
      // Where a check is run.
      .replaceAll(/[^\s"]*\/home\/checks\/[^\s"]*\/work\//g, '')
      .replaceAll(join(directory, 'home'), 'FLEET_HOME')
      .replaceAll(directory, '.')
      .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '00000000-0000-4000-8000-000000000000')
      .replaceAll(/\b[0-9a-f]{40}\b/g, '0123456789abcdef0123456789abcdef01234567')
      .replaceAll(/(?<!-)\b[0-9a-f]{12}\b/g, '0123456789ab')
      .replaceAll(/(?<=^|index |\.\.)[0-9a-f]{7}\b/gm, '0123456')
      .replaceAll(/\b\d+(\.\d+)?s\b/g, '1.0s')
  );
}
