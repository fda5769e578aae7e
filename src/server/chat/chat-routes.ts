import { FleetError } from '../../domain/values/errors.ts';
import type { Caller, Scope } from '../../domain/principal.ts';
import type { ChatService } from './chat-service.ts';

/** The routes of the session, below /api/v1. */
export const CHAT_ROUTES = [
  {
    method: 'POST',
    path: '/chat',
    scope: 'operate',
    summary: 'Answer a message; a stream of server-sent events',
  },
  { method: 'GET', path: '/chat/conversations', scope: 'read', summary: 'List the conversations' },
  { method: 'GET', path: '/chat/conversations/{id}', scope: 'read', summary: 'Show a conversation' },
  { method: 'DELETE', path: '/chat/conversations/{id}', scope: 'operate', summary: 'Delete a conversation' },
] as const satisfies readonly {
  readonly method: string;
  readonly path: string;
  readonly scope: Scope;
  readonly summary: string;
}[];

export type ChatRoute = (typeof CHAT_ROUTES)[number];

export interface ChatRequest {
  readonly caller: Caller;
  readonly id: string;
  readonly body: () => Promise<unknown>;
  readonly signal: AbortSignal;
}

/** The route of a request, and the id in its path; undefined when it is not one of the session's. */
export function chatRoute(
  method: string,
  path: string,
): { readonly route: ChatRoute; readonly id: string } | undefined {
  const [, id] = /^\/chat\/conversations\/([^/]+)$/.exec(path) ?? [];
  const pattern = id === undefined ? path : '/chat/conversations/{id}';
  const route = CHAT_ROUTES.find((each) => each.method === method && each.path === pattern);
  return route === undefined ? undefined : { route, id: id ?? '' };
}

export async function answerChat(
  chat: ChatService,
  route: ChatRoute,
  { caller, id, body, signal }: ChatRequest,
): Promise<Response> {
  if (!caller.scopes.has(route.scope)) {
    throw new FleetError('FORBIDDEN', `This needs the scope ${route.scope}.`, { scopes: [route.scope] });
  }
  if (route.method === 'POST') return await chat.answer(await body(), caller, signal);
  if (route.method === 'DELETE') {
    chat.conversations.delete(id);
    return json({ conversation_id: id, message: 'The conversation was deleted.' });
  }
  if (route.path === '/chat/conversations') {
    const conversations = chat.conversations.list();
    return json({ conversations, total_count: conversations.length });
  }
  return json({ conversation: chat.conversations.show(id) });
}

function json(value: object): Response {
  return Response.json(value, { headers: { 'Cache-Control': 'no-store' } });
}
