import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { LocalFleet } from './fleets/local-fleet.ts';

type Fields = Record<string, unknown>;

/** A repository over HTTP that wants a password, and beside it as much of Gitea's API as publishing needs. */
export interface GitForge extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
  /** The bare repository of team/setup. */
  readonly repository: string;
  readonly pulls: Fields[];
  /** What was asked of the API: method and path. */
  readonly asked: string[];
  /** Answers by path, before the forge's own. */
  readonly answers: Map<string, { readonly status: number; readonly body: unknown }>;
  /** The passwords that git may use, and whether the API takes the token. */
  readonly takes: { git: readonly string[]; api: boolean };
}

const API = '/api/v1/repos/team/setup';
const TOKEN = 'forge-token-5f2a91c07d';

/** Such a forge, as the remote of the project Setup of a fleet. */
export async function forgeFor(
  fleet: Pick<LocalFleet, 'directory' | 'env' | 'repository' | 'configure'>,
): Promise<GitForge> {
  const forge = await gitForge(fleet.directory);
  Object.assign(fleet.env, { SOME_FORGE_TOKEN: forge.token });
  fleet.configure((config) => {
    config['forges'] = { local: { type: 'gitea', url: forge.url, token_env: 'SOME_FORGE_TOKEN' } };
  });
  const git = (...args: string[]): unknown =>
    execFileSync('git', ['-C', fleet.repository, ...args], { stdio: 'pipe' });
  git('remote', 'add', 'origin', `${forge.url}/team/setup.git`);
  git('push', '--quiet', forge.repository, 'main');
  return forge;
}

/** Such a forge, below a directory; its repository is empty. */
export async function gitForge(directory: string): Promise<GitForge> {
  const repository = join(directory, 'forge', 'team', 'setup.git');
  mkdirSync(repository, { recursive: true });
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', repository]);
  execFileSync('git', ['-C', repository, 'config', 'http.receivepack', 'true']);
  const [pulls, asked, answers, takes] = [
    [] as Fields[],
    [] as string[],
    new Map(),
    { git: [TOKEN], api: true },
  ];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    if (!path.startsWith('/api/')) return serveGit(join(directory, 'forge'), takes, request, response);
    void answer(request, response);
  });
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url ?? '';
    asked.push(`${request.method} ${path}`);
    const body = JSON.parse((await text(request)) || '{}') as Fields;
    const send = (status: number, data: unknown): void =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(data));
    if (!takes.api || request.headers.authorization !== `token ${TOKEN}`) return send(401, { message: 'no' });
    const given = answers.get(`${request.method} ${path}`) ?? answers.get(path);
    if (given !== undefined) return send(given.status, given.body);
    const [, number] = /\/pulls\/(\d+)$/.exec(path) ?? [];
    const pull = pulls.find((each) => each['number'] === Number(number));
    if (path.startsWith(`${API}/pulls?`))
      return send(
        200,
        pulls.filter(({ state }) => state === 'open' || path.includes('state=all')),
      );
    if (path === `${API}/pulls` && request.method === 'POST') {
      const made = madePull(body, { number: pulls.length + 1, sha: tipOf(repository, String(body['head'])) });
      if (pulls.some(({ head, state }) => state === 'open' && (head as Fields)['ref'] === body['head']))
        return send(409, { message: 'pull request already exists for these targets' });
      pulls.push(made);
      return send(201, made);
    }
    if (pull === undefined && !path.includes('/status')) return send(404, { message: 'not found' });
    if (request.method === 'PATCH') Object.assign(pull ?? {}, body);
    if (pull !== undefined)
      (pull['head'] as Fields)['sha'] = tipOf(repository, String((pull['head'] as Fields)['ref']));
    return send(200, pull ?? { state: '', total_count: 0, statuses: [] });
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    token: TOKEN,
    repository,
    pulls,
    asked,
    answers,
    takes,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function madePull(body: Fields, { number, sha }: { number: number; sha: string }): Fields {
  return {
    number,
    state: 'open',
    draft: String(body['title']).startsWith('WIP:'),
    merged: false,
    title: body['title'],
    body: body['body'],
    base: { ref: body['base'] },
    created_at: new Date().toISOString(),
    head: { ref: body['head'], sha, repo: { full_name: 'team/setup' } },
  };
}

function tipOf(repository: string, branch: string): string {
  return execFileSync('git', ['-C', repository, 'rev-parse', `refs/heads/${branch}`], {
    encoding: 'utf8',
  }).trim();
}

/** Git's own server, as a CGI program. */
function serveGit(
  root: string,
  takes: GitForge['takes'],
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const password = Buffer.from((request.headers.authorization ?? '').replace(/^Basic /, ''), 'base64')
    .toString()
    .split(':')[1];
  if (password === undefined || !takes.git.includes(password))
    return void response.writeHead(401, { 'www-authenticate': 'Basic realm="forge"' }).end();
  const { pathname, search } = new URL(request.url ?? '/', 'http://forge');
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env['PATH'],
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'],
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'],
      REMOTE_USER: 'somebody',
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  request.pipe(child.stdin);
  let head = Buffer.alloc(0);
  child.stdout.on('data', (chunk: Buffer) => {
    if (response.headersSent) return void response.write(chunk);
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) return;
    const fields = head
      .subarray(0, end)
      .toString()
      .split('\r\n')
      .map((line) => [line.split(': ')[0] ?? '', line.split(': ')[1] ?? ''] as const);
    const status = Number(fields.find(([name]) => name === 'Status')?.[1].slice(0, 3) ?? 200);
    response.writeHead(status, Object.fromEntries(fields.filter(([name]) => name !== 'Status')));
    response.write(head.subarray(end + 4));
  });
  child.stdout.on('end', () => response.end());
}
