import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

export interface McpConnection extends AsyncDisposable {
  readonly client: Client;
}

export interface Served extends AsyncDisposable {
  connect(): Promise<McpConnection>;
  kill(signal: NodeJS.Signals): Promise<void>;
}

export interface Stage extends AsyncDisposable {
  /** A client on `fleet mcp`. */
  stdio(): Promise<McpConnection>;
  /** `fleet serve` on a free port. */
  serve(): Promise<Served>;
  /** Makes the file that a task waits for. */
  release(): void;
}

/** The tests have built a package, which starts faster than the sources. */
const FLEET = process.env['FLEET_UNDER_TEST'] ?? join(import.meta.dirname, '..', '..', 'bin', 'fleet.js');
const TOKEN = 'the-token-of-the-transcript';

const GIT = {
  GIT_AUTHOR_NAME: 'Notes',
  GIT_AUTHOR_EMAIL: 'notes@localhost',
  GIT_COMMITTER_NAME: 'Notes',
  GIT_COMMITTER_EMAIL: 'notes@localhost',
};

/** A home, a repository and a configuration in a temporary directory; nothing of it is left afterwards. */
export async function openStage(): Promise<Stage> {
  const directory = mkdtempSync(join(tmpdir(), 'fleet-transcript-'));
  const held = join(directory, 'held');
  mkdirSync(held);
  const file = join(held, 'release');
  const env = environment(directory);
  makeRepository(join(directory, 'notes'));
  writeFileSync(join(directory, 'fleet.yaml'), JSON.stringify(configuration(file)));
  return {
    stdio: () =>
      connect(
        new StdioClientTransport({ command: process.execPath, args: [FLEET, 'mcp'], env, stderr: 'inherit' }),
      ),
    serve: () => serve(env),
    release: () => writeFileSync(file, ''),
    [Symbol.asyncDispose]: async () => {
      writeFileSync(file, '');
      for (const name of ['ada', 'milo', 'kay'])
        spawnSync(process.execPath, [FLEET, 'delete', '--discard-work', name], { env, stdio: 'ignore' });
      rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function configuration(file: string): object {
  return {
    version: 1,
    projects: { notes: { repository: 'notes', description: 'A place for notes', default_role: 'shell' } },
    roles: {
      shell: {
        agent: 'command',
        command: ['sh', '-s'],
        env: { ...GIT, RELEASE: file },
        write: [dirname(file)],
      },
    },
  };
}

function environment(directory: string): Record<string, string> {
  const { PATH = '' } = process.env;
  const home = join(directory, 'user');
  mkdirSync(home);
  return {
    PATH,
    HOME: home,
    FLEET_HOME: join(directory, 'home'),
    FLEET_CONFIG: join(directory, 'fleet.yaml'),
    FLEET_TOKEN: TOKEN,
  };
}

function makeRepository(path: string): void {
  mkdirSync(path);
  const git = (...args: string[]): void => {
    execFileSync('git', ['-C', path, ...args], { stdio: 'pipe', env: { ...process.env, ...GIT } });
  };
  git('init', '--quiet', '--initial-branch=main');
  writeFileSync(join(path, 'README.md'), '# Notes\n');
  git('add', '.');
  git('commit', '--quiet', '--no-gpg-sign', '-m', 'Start');
}

async function serve(env: Record<string, string>): Promise<Served> {
  const child = spawn(process.execPath, [FLEET, 'serve', '--port', '0', '--json'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const { mcp_url } = JSON.parse(line) as { mcp_url: string };
  const kill = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  };
  const headers = { Authorization: `Bearer ${TOKEN}` };
  return {
    connect: () => connect(new StreamableHTTPClientTransport(new URL(mcp_url), { requestInit: { headers } })),
    kill,
    [Symbol.asyncDispose]: () => kill('SIGKILL'),
  };
}

async function connect(
  transport: StdioClientTransport | StreamableHTTPClientTransport,
): Promise<McpConnection> {
  const client = new Client(
    { name: 'transcript', version: '1.0.0' },
    { versionNegotiation: { mode: 'auto' } },
  );
  await client.connect(transport);
  return { client, [Symbol.asyncDispose]: () => client.close() };
}
