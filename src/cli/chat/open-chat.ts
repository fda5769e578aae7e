import { FleetError } from '../../domain/values/errors.ts';
import { openOwned } from '../../fleet/open-owned.ts';
import type { OpenedFleet } from '../../fleet/open-fleet.ts';
import type { ToolService } from '../../orchestrator/calls/tool-service.ts';
import { ConversationStore } from '../../session/conversations/conversation-store.ts';
import { openSession, settingsOf } from '../../session/open-session.ts';
import type { SessionEvent } from '../../session/session-event.ts';
import type { SessionFlags, SessionSettings } from '../../session/session-settings.ts';
import type { Session } from '../../session/session.ts';
import type { Approver } from '../../session/tools/approver.ts';
import { terminalUser } from '../calls/run-operation.ts';
import type { Cli } from '../output/cli.ts';
import { flagsOf, type SessionOptions } from './session-options.ts';

export interface Chat extends AsyncDisposable {
  readonly conversations: ConversationStore;
  /** A new session; the tools and the fleet are shared. */
  open(parts: ChatParts): { readonly session: Session; readonly settings: SessionSettings };
}

export interface ChatParts {
  readonly approver: Approver;
  readonly emit: (event: SessionEvent) => void;
  readonly conversation_id?: string | undefined;
  /** Instead of what the command line says. */
  readonly flags?: SessionFlags;
}

/** What a command needs for sessions: the fleet, its tools and its conversations. The tools open in the background. */
export async function openChat(cli: Cli, options: SessionOptions): Promise<Chat> {
  const opened = await openOwned(cli);
  const config = await opened.config();
  const loaded = config.current();
  const conversations = new ConversationStore(opened.home);
  let service: Promise<OpenedService> | undefined;
  return {
    conversations,
    open: ({ approver, emit, conversation_id, flags = {} }) => {
      const settings = settingsOf(loaded, { ...flagsOf(cli, options), ...flags }, cli.env);
      const session = openSession({
        home: opened.home,
        fleet: opened.fleet,
        service: async () => {
          service ??= openService(cli, opened);
          return (await service).service;
        },
        settings,
        person: terminalUser(cli.env),
        approver,
        emit,
        conversation_id,
      });
      return { session, settings };
    },
    [Symbol.asyncDispose]: async () => {
      const { close } = (await service?.catch(() => undefined)) ?? {};
      await close?.();
      await opened[Symbol.asyncDispose]();
    },
  };
}

/** The conversation that the options name; undefined for a new one. */
export function conversationOf(
  { conversations }: Chat,
  { resume, continue: last }: SessionOptions,
): string | undefined {
  if (resume !== undefined) return conversations.resolve(resume);
  if (last !== true) return undefined;
  const [newest] = conversations.list();
  if (newest !== undefined) return newest.id;
  throw new FleetError('NOT_FOUND', 'There is no conversation to go on with. Leave out --continue.', {
    field: 'continue',
  });
}

interface OpenedService {
  readonly service: ToolService;
  readonly close: () => Promise<void>;
}

async function openService(cli: Cli, opened: OpenedFleet): Promise<OpenedService> {
  const [{ openTools }, { makeToolService }, { settledTools }] = await Promise.all([
    import('../../orchestrator/open-tools.ts'),
    import('../../orchestrator/calls/tool-service.ts'),
    import('../clients/settled-tools.ts'),
    opened.loadAll(),
  ]);
  const { fleet, home, calls: approvals } = opened;
  const tools = await openTools({ home, env: cli.env, hosts: false, config: await opened.config(), fleet });
  const problem = tools.problem();
  if (problem !== undefined) cli.err.line(`fleet: warning: ${problem}`);
  await settledTools(tools);
  const service = makeToolService({ tools, fleet, home, approvals });
  return {
    service,
    close: async () => {
      service[Symbol.dispose]();
      await tools[Symbol.asyncDispose]();
    },
  };
}
