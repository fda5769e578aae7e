import { ServerResponse } from 'node:http';
import { Hono, type Context } from 'hono';
import { FleetError, quote } from '../domain/values/errors.ts';
import type { Caller } from '../domain/principal.ts';
import type { Fleet } from '../fleet/fleet.ts';
import { invoke } from '../operations/invoke.ts';
import type { ToolService } from '../orchestrator/calls/tool-service.ts';
import { answerChat, chatRoute } from './chat/chat-routes.ts';
import type { ChatService } from './chat/chat-service.ts';
import type { Authenticator } from './http/auth.ts';
import { errorResponse } from './http/error-response.ts';
import { joinSignals } from '../platform/join-signals.ts';
import { ConversationPulse } from './http/conversation-pulse.ts';
import { checkCursor } from './http/event-stream.ts';
import { eventRequest } from './http/event-request.ts';
import { EventStreams } from './http/event-streams.ts';
import { Gate } from './http/gate.ts';
import { bodyOf, inputOf } from './http/http-input.ts';
import { matchRoute, noRoute } from './http/match-route.ts';
import { createMcpEndpoint, type McpEndpoint } from './mcp/mcp-http.ts';
import { Metrics } from './metrics.ts';
import { viewIn } from './mcp/mcp-path.ts';
import { onBodyEnd } from './http/on-body-end.ts';
import { openApiDocument } from './openapi.ts';
import { pageResponse } from './page/page-response.ts';
import { reportDefect } from '../platform/report-defect.ts';
import { checkHostAndOrigin } from './http/request-guard.ts';
import { successStatus } from './success-status.ts';
import { withTools } from './tool-choice.ts';

export interface AppParts {
  readonly fleet: Fleet;
  readonly authenticator: Authenticator;
  readonly version: string;
  readonly demo?: boolean;
  /** With it the tools of upstream servers are offered at /mcp. */
  readonly tools?: ToolService | undefined;
  /** With it a model answers at /api/v1/chat. */
  readonly chat?: ChatService | undefined;
  /** Host names beside the loopback ones that requests may name. */
  readonly allowedHosts?: readonly string[];
  /** The address behind a proxy. */
  readonly publicUrl?: string | undefined;
  /** Calls at once. */
  readonly mostAtOnce?: number;
  /** Event streams at once. */
  readonly mostStreams?: number;
  /** Ends waits, event streams and MCP sessions. */
  readonly signal?: AbortSignal;
}

interface Variables {
  caller: Caller;
  /** The pattern that metrics count the request under. */
  route: string;
}

type AppContext = Context<{ Variables: Variables }>;

const API = '/api/v1';
const METHODS: Readonly<Record<string, readonly string[]>> = {
  '/': ['GET'],
  '/session': ['GET', 'POST'],
  '/healthz': ['GET'],
  '/events': ['GET'],
  '/metrics': ['GET'],
  '/api/openapi.json': ['GET'],
  '/mcp': ['POST', 'GET', 'DELETE'],
};

/** What the app and the short way of calls share. */
export interface AppInner {
  readonly gate: Gate;
  readonly metrics: Metrics;
  readonly mcp: McpEndpoint;
  readonly shutdown: AbortSignal;
}

export function createInner({ fleet, version, tools, mostAtOnce = 1_000, signal }: AppParts): AppInner {
  const shutdown = signal ?? new AbortController().signal;
  const mcp = createMcpEndpoint({ fleet, version, tools });
  shutdown.addEventListener('abort', () => void mcp[Symbol.asyncDispose](), { once: true });
  return { gate: new Gate(mostAtOnce), metrics: new Metrics(), mcp, shutdown };
}

/** Everything that is served over HTTP, as a function of its parts: `app.request()` needs no port. */
export function createApp(
  parts: AppParts,
  inner: AppInner = createInner(parts),
): Hono<{ Variables: Variables }> {
  const { fleet, authenticator, version } = parts;
  const { gate, metrics, mcp, shutdown } = inner;
  const app = new Hono<{ Variables: Variables }>();
  let streams: EventStreams | undefined;

  app.use(async (c, next) => {
    await next();
    metrics.countRequest(c.get('route') ?? 'other', c.res.status);
  });
  app.use(async (c, next) => {
    checkHostAndOrigin(c.req.raw, { hosts: parts.allowedHosts ?? [], public_url: parts.publicUrl });
    if (Object.hasOwn(METHODS, c.req.path)) c.set('route', c.req.path);
    await next();
    c.res.headers.set('X-Content-Type-Options', 'nosniff');
  });

  app.get('/healthz', (c) => c.json({ status: 'ok', version }));
  app.get('*', async (c, next) => {
    const response = await pageResponse(c.req.path);
    if (response === undefined) return await next();
    c.set('route', c.req.path.startsWith('/assets/') ? '/assets' : '/');
    return response;
  });
  app.post('/session', (c) => openSession(c, authenticator));

  app.use(async (c, next) => {
    c.set('caller', authenticate(c, authenticator));
    if (shutdown.aborted) throw stopping();
    await next();
  });
  app.get('/session', (c) =>
    c.json(sessionInfo(c.get('caller'), parts), 200, { 'Cache-Control': 'no-store' }),
  );
  app.all('/mcp/:view?', async (c) => {
    c.set('route', '/mcp');
    requireView(parts.tools, c.req.param('view'));
    const caller = withTools(c.get('caller'), c.req.query('tools'));
    const leave = gate.enter();
    try {
      return onBodyEnd(await mcp.fetch(c.req.raw, caller), leave);
    } catch (thrown) {
      leave();
      throw thrown;
    }
  });
  app.get('/events', async (c) => {
    requireRead(c.get('caller'));
    if (fleet.events === undefined) {
      throw new FleetError('SERVICE_UNAVAILABLE', 'The events of this fleet are not available here.');
    }
    const { after, agent } = eventRequest(c.req.raw);
    // An agent that does not exist is an error now, and not a stream without its log.
    if (agent !== undefined)
      await fleet.conversationEnd(agent, { known: undefined, timeout_ms: 0, signal: shutdown });
    const cursor = after === undefined ? fleet.events.latest() : checkCursor(fleet.events, after);
    // Hono drops the body of an answer to HEAD, and nobody would end the stream.
    if (c.req.raw.method === 'HEAD') return c.body(null);
    streams ??= new EventStreams({ events: fleet.events, signal: shutdown, most: parts.mostStreams });
    return streams.open({
      cursor,
      signal: c.req.raw.signal,
      disconnect: () => disconnect(c.env),
      isAllowed: () => authenticator.bearer(c.req.header('authorization'), 'http') !== undefined,
      follow: agent === undefined ? undefined : (signal) => new ConversationPulse(fleet, agent, signal),
    });
  });
  app.get('/metrics', async (c) => {
    requireRead(c.get('caller'));
    return c.text(await metrics.render(fleet, parts.tools), 200, {
      'Content-Type': 'text/plain; version=0.0.4; charset=utf-8',
    });
  });
  app.get('/api/openapi.json', () => Response.json(openApiDocument({ chat: parts.chat !== undefined })));
  app.all(`${API}/chat/*`, async (c, next) => {
    const found = chatRoute(c.req.method, c.req.path.slice(API.length));
    if (parts.chat === undefined || found === undefined) return await next();
    c.set('route', API + found.route.path);
    const leave = gate.enter();
    try {
      const { raw } = c.req;
      const signal = AbortSignal.any([shutdown, raw.signal]);
      const request = { caller: c.get('caller'), id: found.id, body: () => bodyOf(raw), signal };
      return onBodyEnd(await answerChat(parts.chat, found.route, request), leave);
    } catch (thrown) {
      leave();
      throw thrown;
    }
  });
  app.all(`${API}/*`, async (c) => {
    const leave = gate.enter();
    try {
      const method = c.req.method === 'HEAD' ? 'GET' : c.req.method;
      const route = matchRoute(method, new URL(c.req.url).pathname.slice(API.length));
      const { operation } = route;
      c.set('route', API + operation.route.path);
      const input = await inputOf(c.req.raw, route);
      using joined = joinSignals(shutdown, c.req.raw.signal);
      const { signal } = joined;
      const answer = await invoke(operation, input, { fleet, caller: c.get('caller'), signal });
      return Response.json(answer, {
        status: successStatus(operation),
        headers: { 'Cache-Control': 'no-store' },
      });
    } finally {
      leave();
    }
  });

  app.notFound((c) => {
    // Hono answers HEAD where it answers GET, so that one is never missing.
    const error = noRoute(c.req.method, c.req.path, METHODS[c.req.path] ?? []);
    return errorResponse(error);
  });
  app.onError((thrown, c) => {
    if (shutdown.aborted && !(thrown instanceof FleetError)) return errorResponse(stopping());
    // Nobody reads this answer: the client that went away has ended its call.
    if (c.req.raw.signal.aborted) return new Response(null, { status: 499 });
    return errorResponse(reportDefect(thrown, `${c.req.method} ${c.get('route') ?? c.req.path}`));
  });
  return app;
}

function authenticate(c: AppContext, authenticator: Authenticator): Caller {
  const authorization = c.req.header('authorization');
  const view = viewIn(c.req.path);
  const caller =
    view === undefined
      ? authenticator.bearer(authorization, 'http')
      : authenticator.atMcp(authorization, view);
  if (caller !== undefined) return caller;
  throw unauthorized(
    authorization === undefined ? 'This needs a token' : 'The token does not belong to this fleet',
  );
}

/** Signs a browser in. Its secret goes into a header and never into a cookie: a browser sends cookies to every port of a
 *  host, also to one where an agent listens. */
function openSession(c: AppContext, authenticator: Authenticator): Response {
  const [, code] = /^code +(\S+) *$/i.exec(c.req.header('authorization') ?? '') ?? [];
  const session =
    code === undefined ? undefined : authenticator.openSession(code, c.req.header('user-agent'));
  if (session === undefined) {
    throw new FleetError(
      'UNAUTHORIZED',
      'This link has been used, or is older than ten minutes. For a new one: fleet open',
      {
        reason: 'bad_code',
      },
    );
  }
  return c.json(session, 201, { 'Cache-Control': 'no-store' });
}

/** What the page needs to know about its user and this server before it shows anything. */
function sessionInfo({ scopes, principal }: Caller, { version, chat, demo = false }: AppParts): object {
  return { principal: principal.name, scopes: [...scopes], version, chat: chat !== undefined, demo };
}

function requireView(tools: ToolService | undefined, view: string | undefined): void {
  if (view === undefined || tools?.offers.views.has(view) === true) return;
  throw new FleetError('NOT_FOUND', `There is no view ${quote(view)}. Add it to views of fleet.yaml.`, {
    reason: 'no_such_view',
  });
}

function unauthorized(problem: string): FleetError {
  return new FleetError(
    'UNAUTHORIZED',
    `${problem}. Send "Authorization: Bearer <token>" with FLEET_TOKEN or the content of the file "token" in FLEET_HOME.`,
  );
}

function stopping(): FleetError {
  return new FleetError(
    'SERVICE_UNAVAILABLE',
    'This server is shutting down. Retry when it has been restarted.',
    {
      reason: 'stopping',
    },
  );
}

/** Node's own response stands behind a request that came by a port. */
function disconnect(env: unknown): void {
  if (typeof env !== 'object' || env === null || !('outgoing' in env)) return;
  if (env.outgoing instanceof ServerResponse) env.outgoing.destroy();
}

function requireRead(caller: Caller): void {
  if (caller.scopes.has('read')) return;
  throw new FleetError('FORBIDDEN', 'This needs the scope read.', { scopes: ['read'] });
}
