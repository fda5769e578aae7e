import { randomUUID } from 'node:crypto';
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import {
  buildBody,
  ORGANIZATION,
  OWNER,
  parameterBody,
  presetBody,
  templateBody,
  workspaceBody,
  type StandInTemplate,
} from './stand-in-bodies.ts';
import { StandInPush } from './stand-in-push.ts';
import { serveTerminal } from './terminal-stand-in.ts';
import { StandInWorkspace, type Manners, type StandInBuild, type Transition } from './stand-in-workspace.ts';

export interface StandIn extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
  readonly manners: Manners;
  readonly templates: StandInTemplate[];
  readonly workspaces: StandInWorkspace[];
  /** Every request that came, as method and path. */
  readonly requests: string[];
  /** What the token may do. */
  readonly scopes: string[];
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

interface Asked {
  readonly method: string;
  readonly url: URL;
  readonly body: Record<string, unknown>;
}

const NOT_FOUND: Answer = {
  status: 404,
  body: { message: 'Resource not found or you do not have access to this resource' },
};

/** A small Coder: the same answers to what Fleet asks, and real runners in its workspaces. */
export async function startStandIn(templates: StandInTemplate[], directory: string): Promise<StandIn> {
  const token = `standinaaa-${randomUUID().replaceAll('-', '').slice(0, 22)}`;
  const manners: Manners = { build_ms: 20, fail: {}, runners: true, connects: true };
  const workspaces: StandInWorkspace[] = [];
  const scopes: string[] = ['coder:all'];
  const push = new StandInPush(templates);
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url?.split('?')[0]}`);
    handle(request, response).catch((thrown: unknown) => {
      console.error(thrown);
      send(response, { status: 500, body: { message: String(thrown) } });
    });
  });
  server.on('upgrade', (request, socket) => {
    const id = /^\/api\/v2\/workspaceagents\/([^/]+)\/pty/.exec(request.url ?? '')?.[1];
    const workspace = workspaces.find(({ agent }) => agent?.id === id);
    if (workspace === undefined || request.headers['coder-session-token'] !== token)
      return void socket.destroy();
    serveTerminal(request, socket, workspace.projectDirectory);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no address');
  const url = `http://127.0.0.1:${address.port}`;

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const where = new URL(request.url ?? '/', url);
    const app = /^\/@[^/]+\/([^/]+)\/apps\/([^/]+)(\/.*)$/.exec(where.pathname);
    if (app !== null)
      return proxy(request, response, { key: app[1] ?? '', slug: app[2], path: app[3] ?? '/' });
    const text = await bodyOf(request);
    if (where.pathname === '/api/v2/files') return send(response, push.file(text));
    const asked = { method: request.method ?? '', url: where, body: text === '' ? {} : JSON.parse(text) };
    if (where.pathname === '/api/v2/workspaceagents/me/app-status')
      return send(response, report(String(request.headers['coder-session-token']), asked.body));
    if (where.pathname !== '/api/v2/buildinfo' && request.headers['coder-session-token'] !== token)
      return send(response, {
        status: 401,
        body: { message: 'You are signed out or your session has expired.' },
      });
    const watched = /^\/api\/v2\/workspaces\/([^/]+)\/watch$/.exec(where.pathname);
    if (watched !== null) return watch(request, response, watched[1] ?? '');
    const scripted = /^\/api\/v2\/workspaceagents\/([^/]+)\/watch-metadata$/.exec(where.pathname);
    if (scripted !== null) return scripts(response, scripted[1] ?? '');
    send(response, answer(asked));
  };

  const scripts = (response: ServerResponse, agentId: string): void => {
    const said = present().find(({ agent }) => agent?.id === agentId)?.scripts ?? {};
    const items = Object.entries(said).map(([key, value]) => ({
      result: { collected_at: new Date().toISOString(), age: 0, value, error: '' },
      description: { display_name: key, key, script: '', interval: 10, timeout: 1 },
    }));
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`event: ping\n\nevent: data\ndata: ${JSON.stringify(items)}\n\n`);
  };

  const watch = (request: IncomingMessage, response: ServerResponse, id: string): void => {
    const workspace = present().find((each) => each.id === id);
    if (workspace === undefined) return send(response, NOT_FOUND);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const tell = (): void =>
      void response.write(`event: data\ndata: ${JSON.stringify(whole(workspace))}\n\n`);
    tell();
    workspace.watchers.add(tell);
    request.on('close', () => workspace.watchers.delete(tell));
  };

  const find = (key: string): StandInWorkspace | undefined =>
    workspaces.find(
      ({ id, identity, owner }) =>
        (id === key && owner === undefined) ||
        (owner === undefined && identity.name.toLowerCase() === decodeURIComponent(key).toLowerCase()),
    );
  const present = (): StandInWorkspace[] => workspaces.filter((each) => !each.isDeleted);
  const templateOf = (workspace: StandInWorkspace): StandInTemplate => {
    const template = templates.find(({ id }) => id === workspace.identity.template_id);
    if (template === undefined) throw new Error('no template');
    return template;
  };
  const whole = (workspace: StandInWorkspace) => workspaceBody(workspace, templateOf(workspace));

  const report = (agentToken: string, body: Record<string, unknown>): Answer => {
    const workspace = workspaces.find(({ agent }) => agent?.token === agentToken);
    if (workspace === undefined) return { status: 401, body: { message: 'Workspace agent token invalid.' } };
    const { app_slug, state, message = '', uri = '' } = body;
    if (app_slug !== workspace.identity.app)
      return {
        status: 400,
        body: {
          message: 'Failed to get workspace app.',
          detail: `No app found with slug "${String(app_slug)}"`,
        },
      };
    if (Buffer.byteLength(String(message)) > 160)
      return { status: 400, body: { message: 'Message is too long.' } };
    if (!['working', 'idle', 'complete', 'failure'].includes(String(state)))
      return {
        status: 400,
        body: { message: 'Failed to parse request.', detail: `Invalid state: ${String(state)}` },
      };
    workspace.report({ state: String(state), message: String(message), uri: String(uri) });
    return { status: 200, body: null };
  };

  const proxy = async (
    request: IncomingMessage,
    response: ServerResponse,
    { key, slug, path }: { key: string; slug: string | undefined; path: string },
  ): Promise<void> => {
    if (request.headers.cookie !== `coder_path_app_session_token=${token}`)
      return void response.writeHead(303, { location: '/login', 'content-type': 'text/html' }).end();
    const workspace = present().find(({ id, identity }) => id === key && identity.app === slug);
    if (workspace === undefined) return page(response, 404, '404 - Application Not Found');
    if (workspace.latest.transition !== 'start') return page(response, 400, '400 - Workspace Offline');
    if (workspace.latest.job !== 'succeeded' || workspace.agent?.status !== 'connected')
      return page(response, 404, '404 - Application Unavailable');
    const older = manners.older === true ? answerOfOlder(path) : undefined;
    if (older !== undefined)
      return void response.writeHead(older.status, { 'content-type': 'application/json' }).end(older.text);
    const { cookie: _, host: __, ...headers } = request.headers;
    const passed = httpRequest(
      { host: '127.0.0.1', port: workspace.port, path, method: request.method ?? 'GET', headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, {
          'content-type': answer.headers['content-type'] ?? '',
        });
        answer.pipe(response);
      },
    );
    passed.on('error', () =>
      response.headersSent ? response.destroy() : page(response, 502, '502 - Bad Gateway'),
    );
    request.pipe(passed);
  };

  const answer = ({ method, url: where, body }: Asked): Answer => {
    const path = where.pathname.replace('/api/v2', '');
    const [, first = '', second = '', third = ''] = path.split('/');
    if (path === '/buildinfo') return { status: 200, body: { version: 'v2.36.1+stand-in' } };
    if (path === '/users/me')
      return {
        status: 200,
        body: { id: OWNER.id, username: OWNER.name, organization_ids: [ORGANIZATION.id] },
      };
    if (first === 'organizations' && third === 'templateversions') return push.version(body);
    if (first === 'organizations' && third === 'templates') return push.template(body);
    if (path === '/users/me/keys/tokens') return { status: 200, body: [tokenBody(token, scopes)] };
    if (first === 'templates' && third === 'versions') return push.activate(second, String(body['id']));
    if (path === '/templates') return { status: 200, body: templates.map(templateBody) };
    if (first === 'templateversions') return pushedVersion(second, third) ?? version(second, third);
    if (path === '/users/me/workspaces' && method === 'POST') return create(body);
    if (path.startsWith('/users/me/workspace/')) {
      const workspace = present().find((each) => each === find(path.split('/').at(-1) ?? '')) ?? named(path);
      return workspace === undefined ? NOT_FOUND : { status: 200, body: whole(workspace) };
    }
    if (first === 'users' && third === 'workspace') {
      const name = path.split('/').at(-1);
      const workspace = present().find(({ owner, identity }) => owner === second && identity.name === name);
      return workspace === undefined ? NOT_FOUND : { status: 200, body: whole(workspace) };
    }
    if (path === '/workspaces') return list(where.searchParams);
    if (first === 'workspaces') return one(second, third, { method, body });
    if (first === 'workspacebuilds') return ofBuild(second, third);
    return { status: 404, body: { message: 'Route not found.' } };
  };

  const named = (path: string): StandInWorkspace | undefined => {
    const name = decodeURIComponent(path.split('/').at(-1) ?? '').toLowerCase();
    return present().find(
      ({ identity, owner }) => owner === undefined && identity.name.toLowerCase() === name,
    );
  };

  const pushedVersion = (id: string, part: string): Answer | undefined =>
    part === '' ? push.find(id) : part === 'logs' ? push.logs(id) : undefined;

  const version = (id: string, part: string): Answer => {
    const template = templates.find(({ version_id }) => version_id === id);
    if (template === undefined) return NOT_FOUND;
    switch (part) {
      case 'rich-parameters':
        return { status: 200, body: template.parameters.map(parameterBody) };
      case 'presets':
        return { status: 200, body: template.presets.length === 0 ? null : template.presets.map(presetBody) };
      default:
        return { status: 200, body: [{ agents: [{ apps: template.apps.map((slug) => ({ slug })) }] }] };
    }
  };

  const create = (body: Record<string, unknown>): Answer => {
    const name = String(body['name']);
    const template = templates.find(({ version_id }) => version_id === body['template_version_id']);
    if (template === undefined) return { status: 400, body: { message: 'Template version does not exist.' } };
    if (named(`/${name}`) !== undefined)
      return {
        status: 409,
        body: {
          message: `Workspace "${name}" already exists.`,
          validations: [{ field: 'name', detail: 'This value is already in use and should be unique.' }],
        },
      };
    const preset = template.presets.find(({ id }) => id === body['template_version_preset_id']);
    const workspace = new StandInWorkspace({
      name,
      app: template.apps[0] ?? 'fleet',
      template_id: template.id,
      directory,
      url,
      manners,
    });
    workspace.build('start', {
      version_id: template.version_id,
      preset_id: preset?.id ?? null,
      // The values of a preset win, and what the template does not know is dropped.
      parameters: only(template.parameters, { ...valuesOf(body), ...preset?.parameters }),
    });
    workspaces.push(workspace);
    return { status: 201, body: whole(workspace) };
  };

  const list = (query: URLSearchParams): Answer => {
    const terms = (query.get('q') ?? '').split(' ').filter((term) => term !== '');
    const wanted = terms.filter((term) => term.startsWith('param:')).map((term) => term.slice(6).split('='));
    const ids = terms.filter((term) => term.startsWith('id:')).flatMap((term) => term.slice(3).split(','));
    const found = present().filter(
      (each) =>
        each.owner === undefined &&
        (ids.length === 0 || ids.includes(each.id)) &&
        (wanted.length === 0 ||
          wanted.some(
            ([name = '', value]) => each.latest.parameters[name]?.toLowerCase() === value?.toLowerCase(),
          )),
    );
    const [offset, limit] = [Number(query.get('offset') ?? 0), Number(query.get('limit') ?? 0)];
    const part = found.slice(offset, limit === 0 ? undefined : offset + limit);
    return { status: 200, body: { workspaces: part.map(whole), count: found.length } };
  };

  const one = (id: string, part: string, { method, body }: Pick<Asked, 'method' | 'body'>): Answer => {
    const workspace = workspaces.find((each) => each.id === id);
    if (workspace === undefined) return NOT_FOUND;
    if (part === '' && workspace.isDeleted)
      return { status: 410, body: { message: 'Workspace was deleted.' } };
    if (part === '') return { status: 200, body: whole(workspace) };
    if (part === 'builds' && method === 'POST') return build(workspace, body);
    if (part === 'dormant') workspace.dormant_at = body['dormant'] === true ? new Date().toISOString() : null;
    if (part === 'extend') workspace.deadline = String(body['deadline']);
    return { status: 200, body: { message: 'ok' } };
  };

  const build = (workspace: StandInWorkspace, body: Record<string, unknown>): Answer => {
    if (workspace.isBuilding)
      return { status: 409, body: { message: 'A workspace build is already active.' } };
    const transition = String(body['transition']) as Transition;
    if (workspace.isDeleted && transition !== 'delete')
      return { status: 409, body: { message: `Cannot ${transition} a deleted workspace!` } };
    const next = body['on_success'] as Record<string, unknown> | undefined;
    const given = (from: Record<string, unknown>, version_id: string) => ({
      version_id,
      preset_id: workspace.latest.preset_id,
      parameters: only(templateOf(workspace).parameters, valuesOf(from)),
    });
    const started = workspace.build(
      transition,
      given(body, String(body['template_version_id'] ?? workspace.latest.version_id)),
      () => {
        // A restart by itself takes the active version.
        if (next !== undefined) workspace.build('start', given(next, templateOf(workspace).version_id));
      },
    );
    return { status: 201, body: buildBody(workspace, started) };
  };

  const ofBuild = (id: string, part: string): Answer => {
    const found = workspaces.flatMap((workspace) =>
      workspace.builds.filter((each) => each.id === id).map((each) => ({ workspace, build: each })),
    )[0];
    if (found === undefined) return NOT_FOUND;
    switch (part) {
      case 'parameters':
        return {
          status: 200,
          body: Object.entries(found.build.parameters).map(([name, value]) => ({ name, value })),
        };
      case 'logs':
        return { status: 200, body: logsOf(found.build) };
      case 'cancel':
        return cancel(found.build);
      default:
        return { status: 200, body: buildBody(found.workspace, found.build) };
    }
  };

  return {
    url,
    token,
    manners,
    templates,
    workspaces,
    requests,
    scopes,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await Promise.all(workspaces.map((workspace) => workspace.end()));
    },
  };
}

function tokenBody(token: string, scopes: readonly string[]) {
  const expires_at = new Date(Date.now() + 10 * 86_400_000).toISOString();
  return { id: token.split('-')[0], expires_at, scope: 'all', scopes };
}

function cancel(build: StandInBuild): Answer {
  if (build.job === 'canceling')
    return { status: 400, body: { message: 'Job has already been marked as canceled!' } };
  if (build.job !== 'pending' && build.job !== 'running')
    return { status: 400, body: { message: 'Job has already completed!' } };
  build.job = build.job === 'pending' ? 'canceled' : 'canceling';
  return { status: 200, body: { message: 'Job has been marked as canceled...' } };
}

function logsOf({ error }: StandInBuild) {
  const line = {
    created_at: new Date().toISOString(),
    log_source: 'provisioner',
    stage: 'Starting workspace',
  };
  return [
    { ...line, id: 1, log_level: 'info', output: 'Terraform 1.11.4' },
    ...(error === null ? [] : [{ ...line, id: 2, log_level: 'error', output: `Error: ${error}` }]),
  ];
}

function valuesOf(body: Record<string, unknown>): Record<string, string> {
  const given = (body['rich_parameter_values'] ?? []) as { name: string; value: string }[];
  return Object.fromEntries(given.map(({ name, value }) => [name, value]));
}

function only(names: readonly string[], values: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])),
  );
}

function send(response: ServerResponse, { status, body }: Answer): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify(body));
}

function page(response: ServerResponse, status: number, title: string): void {
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' });
  response.end(`<!doctype html><html><head><title>${title}\n</title></head><body></body></html>`);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** What a runner said before it did anything with the work in its workspace; undefined for calls that it had. */
function answerOfOlder(path: string): { readonly status: number; readonly text: string } | undefined {
  const body = (code: string, message: string, reason: string): string =>
    JSON.stringify({ error: { code, message, details: { reason } } });
  if (path === '/v1/updates')
    return {
      status: 400,
      text: body('INVALID_INPUT', 'Its branch cannot be updated by Fleet.', 'not_local'),
    };
  const isNew = /^\/v1\/(?:diff|checkpoints|results|remote|ready-push|push|forks)$/.test(path);
  const message = `This runner (API v1) has no POST ${path}.`;
  return isNew ? { status: 404, text: body('NOT_FOUND', message, 'runner_api') } : undefined;
}
