import {
  createMcpHandler,
  isLegacyRequest,
  readRequestBody,
  type Server,
  type ServerEventBus,
} from '@modelcontextprotocol/server';
import type { Caller } from '../../domain/principal.ts';
import type { Fleet } from '../../fleet/fleet.ts';
import type { ToolService } from '../../orchestrator/calls/tool-service.ts';
import { announceOffers } from './announce-offers.ts';
import { badParamsAnswer } from './bad-params.ts';
import { BODY_LIMIT } from '../http/http-input.ts';
import { LegacySessions } from '../relay/legacy-sessions.ts';
import { buildMcpServer } from './mcp-server.ts';
import { listenedUris } from './listened-uris.ts';
import { onBodyEnd } from '../http/on-body-end.ts';
import { reportDefect } from '../../platform/report-defect.ts';
import { ResourceUpdates } from './resource-updates.ts';
import { UpstreamFollowing } from './upstream-following.ts';

export interface McpEndpoint extends AsyncDisposable {
  fetch(request: Request, caller: Caller): Promise<Response>;
  readonly sessions: LegacySessions;
}

export interface McpEndpointParts {
  readonly fleet: Fleet;
  readonly version: string;
  readonly tools?: ToolService | undefined;
}

/** MCP at one URL for both eras: 2026-07-28 without sessions, the earlier ones with. */
export function createMcpEndpoint({ fleet, version, tools }: McpEndpointParts): McpEndpoint {
  const updates = fleet.events === undefined ? undefined : new ResourceUpdates(fleet.events);
  const build = (caller: Caller): Server => buildMcpServer({ fleet, caller, version, updates, tools });
  const buildLasting = (caller: Caller): Server => {
    const server = build(caller);
    if (tools !== undefined) announceOffers(server, tools, caller);
    return server;
  };
  const callers = new WeakMap<Request, Caller>();
  const modern = createMcpHandler(
    ({ requestInfo }) => {
      const caller = requestInfo === undefined ? undefined : callers.get(requestInfo);
      if (caller === undefined) throw new Error('An MCP request has lost its caller.');
      return build(caller);
    },
    {
      legacy: 'reject',
      onerror: (error) => {
        // Most of these are mistakes of clients, which they are told about.
        if (process.env['FLEET_DEBUG'] !== undefined) reportDefect(error, '/mcp');
      },
      bus: eventBus(updates, tools),
    },
  );
  const legacy = new LegacySessions(buildLasting, undefined, tools?.relay);
  return {
    sessions: legacy,
    async fetch(request, caller) {
      const sent = request.method === 'POST' ? request.clone() : undefined;
      const response = await answer(request, caller);
      return sent === undefined ? response : explained(response, sent);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([modern.close(), legacy[Symbol.asyncDispose]()]);
    },
  };

  async function answer(request: Request, caller: Caller): Promise<Response> {
    if (await isLegacyRequest(request)) return legacy.handle(request, caller);
    const stop =
      tools === undefined ? undefined : await followListened(request, new UpstreamFollowing(tools, caller));
    callers.set(request, caller);
    const response = await modern.fetch(request);
    return stop === undefined ? response : onBodyEnd(response, stop);
  }
}

/** Says what is wrong with a request that the SDK refuses as no message at all, where that can be said. */
async function explained(response: Response, sent: Request): Promise<Response> {
  if (response.status !== 400) {
    // It settles when the other half of the body is read or canceled too.
    void sent.body?.cancel();
    return response;
  }
  const body = await readRequestBody(sent, BODY_LIMIT);
  const refused = body.tooLarge ? undefined : badParamsAnswer(body.text);
  return refused === undefined ? response : Response.json(refused, { status: 400 });
}

/** Has servers tell of the resources that a client of the new era listens to. Returns the function that ends it. */
async function followListened(
  request: Request,
  following: UpstreamFollowing,
): Promise<(() => void) | undefined> {
  if (request.headers.get('mcp-method') !== 'subscriptions/listen') return undefined;
  const message: unknown = await request
    .clone()
    .json()
    .catch(() => undefined);
  // The stream itself gets every change; here the servers are only asked to send them.
  const stops = listenedUris(message).map((uri) => following.follow(uri, () => {}));
  return () => stops.forEach((stop) => stop?.());
}

/** The fleet's events are the only source of updates; nothing is published by hand. */
function eventBus(updates: ResourceUpdates | undefined, tools: ToolService | undefined): ServerEventBus {
  return {
    publish: () => {},
    subscribe: (listener) => {
      const stops = [
        updates?.subscribe((uri) => listener({ kind: 'resource_updated', uri })),
        tools?.orchestrator.onOffersChanged((change) => listener({ kind: `${change}_list_changed` })),
        tools?.orchestrator.mcpManager.subscribe((change) => {
          if (change.kind !== 'notification' || change.method !== 'notifications/resources/updated') return;
          listener({ kind: 'resource_updated', uri: String(change.params['uri']) });
        }),
      ];
      return () => stops.forEach((stop) => stop?.());
    },
  };
}
