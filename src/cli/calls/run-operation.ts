import { userInfo } from 'node:os';
import type { Caller } from '../../domain/principal.ts';
import type { ToolAgentView } from '../../domain/tool-agent-view.ts';
import { TEAM_SOCKET_VARIABLE } from '../../domain/team.ts';
import type { Fleet } from '../../fleet/fleet.ts';
import { openOwned } from '../../fleet/open-owned.ts';
import type { Operation } from '../../operations/operation.ts';
import type { Answer, Input, OperationName } from '../../operations/table.ts';
import type { Cli } from '../output/cli.ts';
import { LOAD_OPERATION } from '../../operations/load-operation.ts';
import { provideDoctor } from './provide-doctor.ts';

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly progress?: (message: string) => void;
}

/** A fleet that was opened for one command, with who uses it. */
export interface Session extends AsyncDisposable {
  readonly fleet: Fleet;
  readonly caller: Caller;
  /** For who lives longer than one call. */
  loadAll(): Promise<void>;
  call<Name extends OperationName>(
    name: Name,
    input: Input<Name>,
    options?: CallOptions,
  ): Promise<Answer<Name>>;
  /** Any operation, with an input that nobody has looked at yet. */
  invoke(operation: Operation, input: unknown, options?: CallOptions): Promise<unknown>;
}

/** Opens the fleet, does one operation, and closes it. */
export async function runOperation<Name extends OperationName>(
  cli: Cli,
  name: Name,
  input: Input<Name>,
): Promise<Answer<Name>> {
  await using session = await openSession(cli);
  return await session.call(name, input);
}

export async function openSession(cli: Cli): Promise<Session> {
  const { fleet, caller, loadAll, close } = cli.insideAgent ? await openInside(cli) : await openOutside(cli);
  const team = cli.insideAgent ? (cli.env[TEAM_SOCKET_VARIABLE] ?? '') : '';
  const run = async (operation: Operation, input: unknown, options: CallOptions): Promise<unknown> => {
    if (team !== '' && isObject(input) && !isAboutItself(caller, operation.name, input)) {
      const { callTeam } = await import('./call-team.ts');
      return await callTeam(team, { name: operation.name, input }, options);
    }
    const { invoke } = await import('../../operations/invoke.ts');
    return await invoke(operation, input, { fleet, caller, ...options });
  };
  return {
    fleet,
    caller,
    loadAll,
    // `invoke` returns what the operation's own handler returned.
    call: async <Name extends OperationName>(name: Name, input: Input<Name>, options: CallOptions = {}) =>
      (await run(await LOAD_OPERATION[name](), withoutUndefined(input), options)) as Answer<Name>,
    invoke: (operation, input, options = {}) => run(operation, input, options),
    [Symbol.asyncDispose]: close,
  };
}

/** The user of this terminal. */
export function terminalUser(env: NodeJS.ProcessEnv): Caller {
  return {
    principal: { kind: 'user', name: userName(env) },
    door: 'cli',
    source: 'human',
    scopes: new Set(['read', 'operate', 'approve']),
  };
}

interface Opening {
  readonly fleet: Fleet;
  readonly caller: Caller;
  readonly loadAll: () => Promise<void>;
  readonly close: () => Promise<void>;
}

async function openOutside(cli: Cli): Promise<Opening> {
  const opened = await openOwned(cli);
  opened.fleet.toolAgents.provide((caller) => toolAgentsOf(cli, caller));
  provideDoctor(opened.fleet, cli);
  return {
    fleet: opened.fleet,
    caller: terminalUser(cli.env),
    loadAll: () => opened.loadAll(),
    close: async () => opened[Symbol.asyncDispose](),
  };
}

/** A command that lives for one call connects to the tools only when it is asked about them. */
async function toolAgentsOf(cli: Cli, caller: Caller): Promise<readonly ToolAgentView[]> {
  const [{ openToolsOf }, { settledTools }] = await Promise.all([
    import('./open-tools-of.ts'),
    import('../clients/settled-tools.ts'),
  ]);
  await using used = await openToolsOf(cli);
  await settledTools(used.tools);
  return await used.opened.fleet.toolAgents.list(caller);
}

async function openInside(cli: Cli): Promise<Opening> {
  const { openSelf } = await import('../../fleet/open-self.ts');
  const { fleet, caller } = openSelf(cli.env);
  return { fleet, caller, loadAll: async () => {}, close: async () => fleet[Symbol.asyncDispose]() };
}

/** What an agent does to itself, it does by its own socket. */
function isAboutItself({ self }: Caller, name: string, input: object): boolean {
  const target = 'agent_name' in input ? String(input.agent_name) : undefined;
  return name === 'report_task' || target?.toLowerCase() === self?.agent_name.toLowerCase();
}

function withoutUndefined(input: object): object {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function userName(env: NodeJS.ProcessEnv): string {
  try {
    return userInfo().username;
  } catch {
    // A user id without an entry in the system's table of users.
    return env['USER'] ?? `uid-${process.getuid?.() ?? 'unknown'}`;
  }
}
