import { randomUUID } from 'node:crypto';
import { WebStandardStreamableHTTPServerTransport, type Server } from '@modelcontextprotocol/server';
import { FleetError } from '../../domain/values/errors.ts';
import { actorOf, type Caller } from '../../domain/principal.ts';
import { afterClose } from './after-close.ts';
import { onBodyEnd } from '../http/on-body-end.ts';
import { relayTransport, type AnswerCall } from './relay-transport.ts';
import type { ToolRelay } from '../../orchestrator/calls/tool-relay.ts';

const IDLE_LIMIT_MS = 60 * 60_000;
const MOST_SESSIONS = 1_000;

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly principal: string;
  usedAt: number;
  /** Answers that are still being sent: a session that streams is not idle. */
  open: number;
  /** Answers calls of upstream tools. */
  answer?: AnswerCall;
}

/** MCP of 2025-11-25 and earlier over HTTP: a server for each session, so that a client can cancel and subscribe. */
export class LegacySessions implements AsyncDisposable {
  readonly #build: (caller: Caller) => Server;
  readonly #relay: ToolRelay | undefined;
  readonly #now: () => number;
  readonly #sessions = new Map<string, Session>();

  constructor(
    build: (caller: Caller) => Server,
    now: () => number = () => performance.now(),
    relay?: ToolRelay,
  ) {
    this.#build = build;
    this.#relay = relay;
    this.#now = now;
  }

  async handle(request: Request, caller: Caller): Promise<Response> {
    await this.#dropIdle();
    const id = request.headers.get('mcp-session-id');
    const session = id === null ? await this.#open(caller) : this.#sessions.get(id);
    if (session === undefined || session.principal !== principalOf(caller)) return sessionNotFound();
    session.usedAt = this.#now();
    session.open += 1;
    try {
      const response = await session.transport.handleRequest(request);
      return onBodyEnd(response, () => this.#leave(session));
    } catch (thrown) {
      this.#leave(session);
      throw thrown;
    } finally {
      // Only `initialize` opens a session; what else comes without one was refused by now.
      if (session.transport.sessionId === undefined) await session.transport.close();
    }
  }

  /** How calls of upstream tools are answered in a session that is open, and this caller's. */
  relayed(id: string | undefined, caller: Caller): AnswerCall | undefined {
    const session = id === undefined ? undefined : this.#sessions.get(id);
    if (session === undefined || session.principal !== principalOf(caller)) return undefined;
    const { answer } = session;
    if (answer === undefined) return undefined;
    return (message, send, signal) => {
      session.usedAt = this.#now();
      session.open += 1;
      return answer(message, send, signal).finally(() => this.#leave(session));
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#sessions.values()].map(({ transport }) => transport.close()));
  }

  async #open(caller: Caller): Promise<Session> {
    if (this.#sessions.size >= MOST_SESSIONS) await this.#dropOldest();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void this.#sessions.set(id, session),
    });
    const session: Session = {
      transport,
      principal: principalOf(caller),
      usedAt: this.#now(),
      open: 0,
    };
    await this.#build(caller).connect(transport);
    if (this.#relay !== undefined) session.answer = relayTransport(transport, this.#relay, caller);
    afterClose(transport, () => {
      if (transport.sessionId !== undefined) this.#sessions.delete(transport.sessionId);
    });
    return session;
  }

  #leave(session: Session): void {
    session.open -= 1;
    session.usedAt = this.#now();
  }

  async #dropIdle(): Promise<void> {
    const limit = this.#now() - IDLE_LIMIT_MS;
    for (const { transport, open, usedAt } of this.#sessions.values()) {
      if (open === 0 && usedAt < limit) await transport.close();
    }
  }

  async #dropOldest(): Promise<void> {
    const idle = [...this.#sessions.values()].filter(({ open }) => open === 0);
    const oldest = idle.toSorted((a, b) => a.usedAt - b.usedAt)[0];
    if (oldest === undefined) {
      throw new FleetError('RATE_LIMITED', `There are ${MOST_SESSIONS} MCP sessions, and all are in use.`, {
        limit: MOST_SESSIONS,
      });
    }
    await oldest.transport.close();
  }
}

/** Who has another view is somebody else. */
function principalOf(caller: Caller): string {
  return JSON.stringify([actorOf(caller).principal, caller.views ?? []]);
}

/** As the protocol asks for it: the client then opens a new session. */
function sessionNotFound(): Response {
  return Response.json(
    { jsonrpc: '2.0', error: { code: -32001, message: 'Session not found' }, id: null },
    { status: 404 },
  );
}
