import { Hono, type Context } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { FleetError, quote } from '../domain/errors.ts';
import type { Caller } from '../domain/principal.ts';
import type { Fleet } from '../fleet/fleet.ts';
import { invoke } from '../operations/invoke.ts';
import type { ToolDoor } from './tool-door.ts';
import type { Authenticator } from './auth.ts';
import { errorResponse } from './error-response.ts';
import { joinSignals } from '../platform/join-signals.ts';
import { checkCursor, eventStream } from './event-stream.ts';
import { Gate } from './gate.ts';
import { inputOf, parseQuery } from './http-input.ts';
import { matchRoute, noRoute } from './match-route.ts';
import { createMcpEndpoint, type McpEndpoint } from './mcp-http.ts';
import { Metrics } from './metrics.ts';
import { viewIn } from './mcp-path.ts';
import { onBodyEnd } from './on-body-end.ts';
import { openApiDocument } from './openapi.ts';
import { agentsPage, signInPage } from './page.ts';
import { reportDefect } from './report-defect.ts';
import { checkHostAndOrigin } from './request-guard.ts';
import { successStatus } from './success-status.ts';

export interface AppParts {
  readonly fleet: Fleet;
  readonly authenticator: Authenticator;
  readonly version: string;
  /** With it the tools of upstream servers are offered at /mcp. */
  readonly tools?: ToolDoor | undefined;
  /** Host names beside the loopback ones that requests may name. */
  readonly allowedHosts?: readonly string[];
  /** Calls and event streams at once. */
  readonly mostAtOnce?: number;
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

  app.use(async (c, next) => {
    await next();
    metrics.countRequest(c.get('route') ?? 'other', c.res.status);
  });
  app.use(async (c, next) => {
    checkHostAndOrigin(c.req.raw, parts.allowedHosts ?? []);
    if (Object.hasOwn(METHODS, c.req.path)) c.set('route', c.req.path);
    await next();
    c.res.headers.set('X-Content-Type-Options', 'nosniff');
  });

  app.get('/healthz', (c) => c.json({ status: 'ok', version }));
  app.get('/', (c) => page(c, authenticator));

  app.use(async (c, next) => {
    c.set('caller', authenticate(c, authenticator));
    if (shutdown.aborted) throw stopping();
    await next();
  });
  app.all('/mcp/:view?', async (c) => {
    c.set('route', '/mcp');
    requireView(parts.tools, c.req.param('view'));
    const leave = gate.enter();
    try {
      return onBodyEnd(await mcp.fetch(c.req.raw, c.get('caller')), leave);
    } catch (thrown) {
      leave();
      throw thrown;
    }
  });
  app.get('/events', (c) => {
    requireRead(c.get('caller'));
    if (fleet.events === undefined) {
      throw new FleetError('SERVICE_UNAVAILABLE', 'The events of this fleet cannot be reached from here.');
    }
    const after = cursorOf(c);
    const cursor = after === undefined ? fleet.events.latest() : checkCursor(fleet.events, after);
    // Hono drops the body of an answer to HEAD, and nobody would end the stream.
    if (c.req.raw.method === 'HEAD') return c.body(null);
    const joined = joinSignals(shutdown, c.req.raw.signal);
    const leave = gate.enter();
    const onEnd = (): void => {
      joined[Symbol.dispose]();
      leave();
    };
    return eventStream(fleet.events, { cursor, signal: joined.signal, onEnd });
  });
  app.get('/metrics', async (c) => {
    requireRead(c.get('caller'));
    return c.text(await metrics.render(fleet, parts.tools), 200, {
      'Content-Type': 'text/plain; version=0.0.4; charset=utf-8',
    });
  });
  app.get('/api/openapi.json', () => Response.json(openApiDocument()));
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
  if (authorization !== undefined || view !== undefined) {
    const caller =
      view === undefined
        ? authenticator.bearer(authorization, 'http')
        : authenticator.atMcp(authorization, view);
    if (caller !== undefined) return caller;
    throw unauthorized(
      authorization === undefined ? 'This needs a token' : 'The token is not the one of this fleet',
    );
  }
  const caller = authenticator.session(getCookie(c, cookieName(c)));
  if (caller === undefined) throw unauthorized('This needs a token');
  checkFromPage(c);
  return caller;
}

/** A browser sends the cookie to every port of this machine's name, whoever's page asks. */
function checkFromPage(c: AppContext): void {
  const site = c.req.header('sec-fetch-site');
  const changes = c.req.method !== 'GET' && c.req.method !== 'HEAD';
  if (
    (site === undefined || site === 'same-origin' || site === 'none') &&
    (!changes || c.req.header('origin') !== undefined)
  )
    return;
  throw new FleetError(
    'FORBIDDEN',
    'The session of the page is for the page alone: send the token instead.',
    {
      reason: 'not_from_page',
    },
  );
}

function requireView(tools: ToolDoor | undefined, view: string | undefined): void {
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
    'This server is stopping. Ask again when it has started anew.',
    {
      reason: 'stopping',
    },
  );
}

function requireRead(caller: Caller): void {
  if (caller.scopes.has('read')) return;
  throw new FleetError('FORBIDDEN', 'This needs the scope read.', { scopes: ['read'] });
}

/** Where to resume: a client that reconnects says it in the header, and that is newer than its address. */
function cursorOf(c: AppContext): string | undefined {
  const { cursor, ...others } = parseQuery(c.req.raw);
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    throw new FleetError('INVALID_INPUT', `/events has no parameter ${quote(unknown)}. It takes: cursor.`, {
      field: unknown,
    });
  }
  return c.req.header('last-event-id') ?? cursor;
}

function page(c: AppContext, authenticator: Authenticator): Response {
  const code = c.req.query('code');
  if (code !== undefined && c.req.raw.method === 'GET') {
    const session = authenticator.openSession(code);
    if (session === undefined) return signInPage('This link has been used, or is older than ten minutes.');
    setCookie(c, cookieName(c), session, { httpOnly: true, sameSite: 'Strict', path: '/' });
    return c.redirect('/', 303);
  }
  const caller = authenticator.session(getCookie(c, cookieName(c)));
  return caller === undefined ? signInPage() : agentsPage();
}

/** Cookies know no ports: servers side by side on one machine need names of their own. */
function cookieName(c: AppContext): string {
  return `fleet_session_${new URL(c.req.url).port || '80'}`;
}
