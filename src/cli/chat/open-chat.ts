import { FleetError } from '../../domain/values/errors.ts';
import type { ConfigSource } from '../../config/config-source.ts';
import { openConfig } from '../../fleet/open-config.ts';
import { openOwned } from '../../fleet/open-owned.ts';
import { ensureHome, resolveHome } from '../../platform/home.ts';
import { ConversationStore } from '../../session/conversations/conversation-store.ts';
import { openSession, settingsOf, type SessionAccess } from '../../session/open-session.ts';
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

/** What a command needs for sessions. The fleet and its tools open while the model is checked: they take longer to load. */
export async function openChat(cli: Cli, options: SessionOptions): Promise<Chat> {
  const home = ensureHome(resolveHome(cli.env));
  const configSource = await openConfig(home, cli);
  const loaded = configSource.current();
  const conversations = new ConversationStore(home);
  let access: Promise<OpenedAccess> | undefined;
  return {
    conversations,
    open: ({ approver, emit, conversation_id, flags = {} }) => {
      const settings = settingsOf(loaded, { ...flagsOf(cli, options), ...flags }, cli.env);
      const session = openSession({
        home,
        access: async () => await (access ??= openAccess(cli, configSource)),
        settings,
        person: terminalUser(cli.env),
        approver,
        emit,
        conversation_id,
      });
      return { session, settings };
    },
    [Symbol.asyncDispose]: async () => {
      const opened = await access?.catch(() => undefined);
      await opened?.close();
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
  throw new FleetError('NOT_FOUND', 'There is no conversation to continue. Leave out --continue.', {
    field: 'continue',
  });
}

interface OpenedAccess extends SessionAccess {
  readonly close: () => Promise<void>;
}

async function openAccess({ env, cwd, config, err }: Cli, configSource: ConfigSource): Promise<OpenedAccess> {
  const opened = await openOwned({ env, cwd, config, configSource });
  const [{ openTools }, { makeToolService }, { settledTools }] = await Promise.all([
    import('../../orchestrator/open-tools.ts'),
    import('../../orchestrator/calls/tool-service.ts'),
    import('../clients/settled-tools.ts'),
    opened.loadAll(),
  ]);
  const { fleet, home, calls: approvals } = opened;
  const tools = await openTools({ home, env, hosts: false, config: configSource, fleet });
  const problem = tools.problem();
  if (problem !== undefined) err.line(`fleet: warning: ${problem}`);
  await settledTools(tools);
  const service = makeToolService({ tools, fleet, home, approvals });
  return {
    fleet,
    service,
    close: async () => {
      service[Symbol.dispose]();
      await tools[Symbol.asyncDispose]();
      await opened[Symbol.asyncDispose]();
    },
  };
}
