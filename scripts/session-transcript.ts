// Writes docs/session-transcript.md: fleet ask and fleet chat on a real fleet, with a scripted model, and with a real Ollama
// where `npm run test:ollama` has built one.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { shellWord } from '../src/domain/values/text.ts';
import { builtOllama } from '../test/ollama/ollama-cache.ts';
import { startOllama } from '../test/ollama/ollama.ts';
import { runFleet } from '../test/support/fleets/fleet-process.ts';
import { startModelServer } from '../test/support/model-server/model-server.ts';

const ROOT = join(import.meta.dirname, '..');
const PAGE = join(ROOT, 'docs', 'session-transcript.md');
const FLEET = join(ROOT, 'bin', 'fleet.js');
const MESSAGE = 'Create two agents on Setup, give each a task, wait for them, and tell me what they changed.';
const WAIT_MS = 30_000;

const INTRODUCTION = `# A transcript of the session

<!-- Made by \`npm run transcript:session\`. Edit scripts/session-transcript.ts, not this page. -->

\`fleet ask\` and \`fleet chat\` on a real fleet. The model is scripted: it makes the calls that a model would make, in
the form of Ollama's API. Everything else is real: the agents, their git repositories and their tasks.
Times, ids and addresses differ in each run and are replaced.`;

const agents = (names: readonly string[]) => [
  { tool: 'list_agent_projects' },
  {
    tools: names.map((name) => ({
      tool: 'create_agent',
      input: { project: 'Setup', name, task: `echo "${name} was here" > ${name}.txt` },
    })),
  },
  { tool: 'wait_for_agents', input: { agent_names: names.join(','), timeout_seconds: 600 } },
  { tools: names.map((name) => ({ tool: 'show_agent_diff', input: { agent_name: name } })) },
  {
    text: `Both agents are done:\n\n${names.map((name) => `- **${name}** added \`${name}.txt\` (1 line) on \`fleet/${name}\`, not committed yet.`).join('\n')}\n\nShall I let them commit?`,
  },
];

const ISSUES = [
  {
    name: 'noor',
    does: 'a greeting',
    task: 'echo "echo hello" > greet.sh && git add . && git commit -qm "Add a greeting"',
  },
  {
    name: 'kay',
    does: 'a farewell',
    task: 'echo "echo goodbye" > leave.sh && git add . && git commit -qm "Add a farewell"',
  },
  {
    name: 'lin',
    does: 'a question',
    task: 'echo "if then" > ask.sh && git add . && git commit -qm "Add a question"',
  },
];
const ISSUES_MESSAGE =
  'Give each of these three issues to an agent on Checked: a greeting, a farewell, a question. Wait, tell me what they changed, and land what passes.';

const issues = () => {
  const names = ISSUES.map(({ name }) => name);
  return [
    {
      tools: ISSUES.map(({ name, task }) => ({
        tool: 'create_agent',
        input: { project: 'Checked', name, task },
      })),
    },
    { tool: 'wait_for_agents', input: { agent_names: names.join(','), timeout_seconds: 600 } },
    { tools: names.map((name) => ({ tool: 'show_agent_diff', input: { agent_name: name } })) },
    { tools: names.map((name) => ({ tool: 'check_agent', input: { agent_name: name } })) },
    { tool: 'land_agents', input: { agent_names: 'noor,kay' } },
    {
      text: '- **noor** added `greet.sh`: its check passes, landed on main.\n- **kay** added `leave.sh`: its check passes, landed on main.\n- **lin** added `ask.sh`, and the check `syntax` fails: `if then` is not complete. It is not landed; shall I give it back to lin?',
    },
  ];
};

async function main(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'fleet-session-'));
  try {
    const env = layOut(directory);
    const parts = [
      INTRODUCTION,
      await askPart(env),
      await landPart(join(directory, 'setup'), env),
      await chatPart(directory, env, AGENTS_TYPED),
      await chatPart(directory, env, DELETE_TYPED),
      await realPart(env),
    ];
    writeFileSync(PAGE, `${parts.filter((part) => part !== '').join('\n\n')}\n`);
  } finally {
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  }
}

function layOut(directory: string): NodeJS.ProcessEnv {
  const repository = join(directory, 'setup');
  mkdirSync(repository);
  const git = (...args: string[]): unknown =>
    execFileSync('git', [
      '-C',
      repository,
      '-c',
      'user.name=Fleet',
      '-c',
      'user.email=fleet@localhost',
      ...args,
    ]);
  git('init', '--quiet', '--initial-branch=main');
  git('commit', '--quiet', '--allow-empty', '-m', 'first');
  const config = join(directory, 'fleet.yaml');
  writeFileSync(
    config,
    JSON.stringify({
      version: 1,
      projects: {
        Setup: { repository, default_role: 'shell' },
        Checked: {
          repository,
          default_role: 'shell',
          checks: { syntax: 'for file in *.sh; do sh -n "$file" || exit 1; done' },
        },
      },
      roles: { shell: { agent: 'command', command: ['sh', '-s'] } },
    }),
  );
  return { ...process.env, FLEET_HOME: join(directory, 'home'), FLEET_CONFIG: config };
}

async function askPart(env: NodeJS.ProcessEnv): Promise<string> {
  await using model = await startModelServer(0, agents(['ada', 'milo']));
  const { stdout, stderr } = await runFleet(['ask', MESSAGE], { env: { ...env, OLLAMA_HOST: model.url } });
  return block('fleet ask', `$ fleet ask "${MESSAGE}"\n${stderr}${stdout}`);
}

async function landPart(repository: string, env: NodeJS.ProcessEnv): Promise<string> {
  await using model = await startModelServer(0, issues());
  const args = ['ask', '--yes', 'land_agents', ISSUES_MESSAGE];
  const { stdout, stderr } = await runFleet(args, { env: { ...env, OLLAMA_HOST: model.url } });
  const log = execFileSync('git', ['-C', repository, 'log', '--first-parent', '--format=%s', 'main'], {
    encoding: 'utf8',
  });
  const text = `$ fleet ask --yes land_agents "${ISSUES_MESSAGE}"\n${stderr}${stdout}$ git log --first-parent --format=%s main\n${log}`;
  return block('From three issues to main', text);
}

interface Typed {
  readonly title: string;
  readonly steps: Parameters<typeof startModelServer>[1];
  /** What a person types, and the text that ends each wait. */
  readonly lines: readonly { readonly type: string; readonly until: string }[];
}

const AGENTS_TYPED: Typed = {
  title: 'fleet chat, in a terminal',
  steps: agents(['ivo', 'uma']),
  lines: [{ type: MESSAGE, until: 'Shall I let them commit?' }],
};

const DELETE_TYPED: Typed = {
  title: 'fleet chat asks before it deletes',
  steps: [
    { tool: 'delete_agent', input: { agent_name: 'ada' } },
    { text: 'I deleted **ada**. Its work is kept on a branch that `fleet kept` shows.' },
  ],
  lines: [
    { type: 'Delete ada.', until: 'Allow delete_agent?' },
    { type: 'y', until: 'I deleted' },
    { type: '/context', until: 'estimated' },
  ],
};

/** In a terminal of its own. */
async function chatPart(directory: string, env: NodeJS.ProcessEnv, typed: Typed): Promise<string> {
  await using model = await startModelServer(0, typed.steps);
  const socket = join(directory, 'tmux');
  const tmux = (...args: string[]): string =>
    spawnSync('tmux', ['-S', socket, ...args], { encoding: 'utf8', env }).stdout;
  const screen = (): string => tmux('capture-pane', '-p', '-S', '-');
  const sees = async (text: string): Promise<void> => {
    const until = Date.now() + WAIT_MS;
    while (!screen().includes(text)) {
      if (Date.now() > until) throw new Error(`"${text}" never appeared:\n${screen()}`);
      await delay(50);
    }
  };
  const variables = {
    FLEET_HOME: env['FLEET_HOME'],
    FLEET_CONFIG: env['FLEET_CONFIG'],
    OLLAMA_HOST: model.url,
  };
  const set = Object.entries(variables).map(([name, value]) => `${name}=${shellWord(value ?? '')}`);
  const command = `${set.join(' ')} ${shellWord(process.execPath)} ${shellWord(FLEET)} chat; sleep 60`;
  tmux('-f', '/dev/null', 'new-session', '-d', '-x', '100', '-y', '40', command);
  try {
    await sees('\n>');
    for (const { type, until } of [...typed.lines, { type: '/quit', until: 'To resume this conversation' }]) {
      tmux('send-keys', '-l', type);
      tmux('send-keys', 'Enter');
      await sees(until);
    }
    return block(typed.title, `$ fleet chat\n${screen()}`, model.url);
  } finally {
    tmux('kill-server');
  }
}

async function realPart(env: NodeJS.ProcessEnv): Promise<string> {
  if (builtOllama() === undefined) return '';
  await using ollama = await startOllama();
  const { stdout, stderr } = await runFleet(['ask', '--model', 'tiny', '--context', '1024', 'Hello!'], {
    env: { ...env, OLLAMA_HOST: ollama.url },
  });
  const text = `$ fleet ask --model tiny --context 1024 'Hello!'\n${stderr}${stdout.slice(0, 60)}…`;
  return `${block('With a real Ollama', text, ollama.url)}\n\nThe model of this run has random weights: it shows how an answer arrives, and its text means nothing.`;
}

function block(title: string, text: string, url = ''): string {
  const shown = text
    .replaceAll(url === '' ? '\0' : url, 'http://127.0.0.1:11434')
    .replaceAll(/\(\d+\.\d s\)/g, '(0.3 s)')
    .replaceAll(/--resume [0-9a-f]{8}/g, '--resume 1f0c9a4e')
    .replaceAll(/[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g, '5d7e…')
    .replaceAll(/^… .*\n/gm, '')
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .trim();
  return `## ${title}\n\n\`\`\`text\n${shown}\n\`\`\``;
}

await main();
