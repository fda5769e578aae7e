import { z } from 'zod';
import type { ConfigSource } from '../../config/config-source.ts';
import { FleetError, quote, toFleetError } from '../../domain/values/errors.ts';
import { actorOf, type Caller } from '../../domain/principal.ts';
import type { Fleet } from '../../fleet/fleet.ts';
import type { ApprovalRequesterParts } from '../../orchestrator/calls/approval-requester.ts';
import type { ToolService } from '../../orchestrator/calls/tool-service.ts';
import { ConversationStore } from '../../session/conversations/conversation-store.ts';
import { openSession, settingsOf } from '../../session/open-session.ts';
import { sessionCaller } from '../../session/session-caller.ts';
import type { Session, SessionStart } from '../../session/session.ts';
import { eventSink, type EventSink } from './event-sink.ts';
import { PendingApprover } from './pending-approver.ts';

const MOST_CHARACTERS = 1_000_000;

const chatInput = z.strictObject({
  message: z.string().min(1).max(MOST_CHARACTERS),
  conversation_id: z.uuid().nullish(),
  model: z.string().min(1).max(200).nullish(),
});

export interface ChatServiceParts {
  readonly home: string;
  readonly fleet: Fleet;
  readonly tools: ToolService;
  readonly config: ConfigSource;
  readonly approvals: ApprovalRequesterParts['approvals'];
  readonly env: NodeJS.ProcessEnv;
}

/** The session over HTTP: each message is answered by a session of its own, on a conversation that is kept. */
export class ChatService {
  readonly conversations: ConversationStore;
  readonly #parts: ChatServiceParts;

  constructor(parts: ChatServiceParts) {
    this.#parts = parts;
    this.conversations = new ConversationStore(parts.home);
  }

  /** Answers with server-sent events. What the checks at the start find is thrown before that. */
  async answer(body: unknown, caller: Caller, signal: AbortSignal): Promise<Response> {
    const { message, conversation_id, model } = parseInput(body);
    const { home, fleet, tools, config, env, approvals } = this.#parts;
    const settings = settingsOf(config.current(), model == null ? {} : { model }, env);
    const gone = new AbortController();
    const sink = eventSink(() => gone.abort());
    const approver = new PendingApprover({
      approvals,
      asked_by: actorOf(sessionCaller(caller, undefined)).principal,
      onAsked: (id, { tool, arguments: args, effect }) =>
        sink.send('approval', { id, tool, arguments: args, effect }),
      onQuestion: (id, question) => sink.send('question', { id, ...question }),
    });
    const session = openSession({
      home,
      access: async () => ({ fleet, service: tools }),
      settings,
      person: caller,
      approver,
      emit: ({ type, ...event }) => sink.send(type, event),
      conversation_id: conversation_id ?? undefined,
    });
    const ended = AbortSignal.any([signal, gone.signal]);
    try {
      const start = await session.start(ended);
      void converse({ session, start, sink }, message, ended);
    } catch (thrown) {
      await session[Symbol.asyncDispose]();
      throw thrown;
    }
    return sink.response;
  }
}

interface Conversing {
  readonly session: Session;
  readonly start: SessionStart;
  readonly sink: EventSink;
}

async function converse(
  { session, start, sink }: Conversing,
  message: string,
  signal: AbortSignal,
): Promise<void> {
  sink.send('start', { ...start });
  try {
    const { text, ...rest } = await session.send(message, signal);
    sink.send('answer', { conversation_id: session.log.id, answer: text, ...rest });
  } catch (thrown) {
    sink.send('error', { ...toFleetError(thrown).toBody().error, conversation_id: session.log.id });
  }
  await session[Symbol.asyncDispose]();
  sink.end();
}

function parseInput(body: unknown): z.output<typeof chatInput> {
  const parsed = chatInput.safeParse(body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.code === 'unrecognized_keys' ? issue.keys[0] : issue?.path.join('.');
  const known = Object.keys(chatInput.shape).join(', ');
  const problem =
    issue?.code === 'unrecognized_keys'
      ? `There is no input ${quote(field)}. It takes: ${known}.`
      : `The input ${quote(field)} is not valid: ${issue?.message ?? 'it is missing'}.`;
  throw new FleetError('INVALID_INPUT', problem, { field: field ?? '' });
}
