import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { builtGitea } from './forge-cache.ts';

/** A real forge on loopback, with one user. */
export interface Gitea extends AsyncDisposable {
  readonly url: string;
  readonly user: string;
  readonly token: string;
  /** Asks its API; throws when it refuses. */
  call(method: string, path: string, body?: object): Promise<Record<string, unknown>>;
}

const USER = 'maker';
const PASSWORD = `Aa1-${randomUUID()}`;
/** It will not run as root: then it runs as nobody. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
const START_LIMIT_MS = 120_000;

export async function startGitea(): Promise<Gitea> {
  const opened = new AsyncDisposableStack();
  const directory = mkdtempSync(join(tmpdir(), 'fleet-forge-'));
  opened.defer(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));
  const url = `http://127.0.0.1:${await freePort()}`;
  layOut(directory, url);
  const program = join(directory, 'gitea');
  const env = { PATH: process.env['PATH'], HOME: directory, USER: 'nobody', GITEA_WORK_DIR: directory };
  const server = spawn(program, ['web'], { cwd: directory, env, stdio: 'ignore', ...NOBODY });
  opened.defer(async () => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    server.kill('SIGKILL');
    await once(server, 'exit');
  });
  try {
    await untilItAnswers(url, () => (server.exitCode === null ? undefined : logOf(directory)));
    const account = ['--username', USER, '--password', PASSWORD, '--email', 'maker@localhost.example'];
    const create = ['admin', 'user', 'create', ...account, '--admin', '--must-change-password=false'];
    await promisify(execFile)(program, create, { cwd: directory, env, ...NOBODY });
    const basic = `Basic ${Buffer.from(`${USER}:${PASSWORD}`).toString('base64')}`;
    const made = await ask({ url, authorization: basic }, 'POST', `/users/${USER}/tokens`, {
      name: 'tests',
      scopes: ['all'],
    });
    const token = String(made['sha1']);
    const dispose = opened.move();
    return {
      url,
      user: USER,
      token,
      call: (method, path, body) => ask({ url, authorization: `token ${token}` }, method, path, body),
      [Symbol.asyncDispose]: () => dispose.disposeAsync(),
    };
  } catch (thrown) {
    await opened.disposeAsync();
    throw thrown;
  }
}

function layOut(directory: string, url: string): void {
  cpSync(builtGitea() ?? '', directory, { recursive: true });
  mkdirSync(join(directory, 'custom', 'conf'), { recursive: true });
  mkdirSync(join(directory, 'data'));
  mkdirSync(join(directory, 'log'));
  writeFileSync(join(directory, 'custom', 'conf', 'app.ini'), configuration(directory, url));
  if (NOBODY.uid !== undefined) giveAway(directory, NOBODY);
}

function configuration(directory: string, url: string): string {
  return `
[server]
HTTP_ADDR = 127.0.0.1
HTTP_PORT = ${new URL(url).port}
ROOT_URL = ${url}/
STATIC_ROOT_PATH = ${directory}
DISABLE_SSH = true
OFFLINE_MODE = true
[database]
DB_TYPE = sqlite3
PATH = ${join(directory, 'data', 'gitea.db')}
[repository]
ROOT = ${join(directory, 'data', 'repositories')}
DEFAULT_BRANCH = main
[security]
INSTALL_LOCK = true
[log]
LEVEL = Warn
MODE = file
ROOT_PATH = ${join(directory, 'log')}
`;
}

function giveAway(path: string, { uid, gid }: { readonly uid: number; readonly gid: number }): void {
  chownSync(path, uid, gid);
  for (const entry of readdirSync(path, { withFileTypes: true, recursive: true }))
    chownSync(join(entry.parentPath, entry.name), uid, gid);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function untilItAnswers(url: string, ended: () => string | undefined): Promise<void> {
  const end = Date.now() + START_LIMIT_MS;
  for (;;) {
    const answer = await fetch(`${url}/api/v1/version`).catch(() => undefined);
    if (answer?.ok === true) return;
    const why = ended();
    if (why !== undefined || Date.now() > end) throw new Error(`Gitea does not answer. ${why ?? ''}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function logOf(directory: string): string {
  return readdirSync(join(directory, 'log'))
    .map((name) => readFileSync(join(directory, 'log', name), 'utf8'))
    .join('\n');
}

async function ask(
  { url, authorization }: { readonly url: string; readonly authorization: string },
  ...[method, path, body]: [method: string, path: string, body?: object]
): Promise<Record<string, unknown>> {
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: { authorization, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
}
