import { userInfo } from 'node:os';
import type { Caller } from '../domain/principal.ts';
import type { Fleet } from '../fleet/fleet.ts';
import type { OpenedFleet } from '../fleet/open-fleet.ts';
import type { Answers } from './answers.ts';
import type { Cli } from './cli.ts';
import { LOAD_OPERATION } from './load-operation.ts';

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
  call<Name extends keyof Answers>(name: Name, input: object, options?: CallOptions): Promise<Answers[Name]>;
}

/** Opens the fleet, does one operation, and closes it. */
export async function runOperation<Name extends keyof Answers>(
  cli: Cli,
  name: Name,
  input: object,
): Promise<Answers[Name]> {
  await using session = await openSession(cli);
  return await session.call(name, input);
}

export async function openSession(cli: Cli): Promise<Session> {
  const { fleet, caller, loadAll, close } = cli.insideAgent ? await openInside(cli) : await openOutside(cli);
  return {
    fleet,
    caller,
    loadAll,
    call: (name, input, options = {}) => callOperation({ fleet, caller }, name, { input, ...options }),
    [Symbol.asyncDispose]: close,
  };
}

/** The fleet with all that its owner has. A configuration that was named must be there, whatever is done then. */
export async function openOwned({ env, cwd, config: flag }: Cli): Promise<OpenedFleet> {
  const [{ openFleet }, { findConfig }] = await Promise.all([
    import('../fleet/open-fleet.ts'),
    import('../config/find-config.ts'),
  ]);
  findConfig({ flag, env, cwd });
  return openFleet({ env, cwd, ...(flag === undefined ? {} : { config: flag }) });
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
  return {
    fleet: opened.fleet,
    caller: terminalUser(cli.env),
    loadAll: () => opened.loadAll(),
    close: async () => opened[Symbol.asyncDispose](),
  };
}

async function openInside(cli: Cli): Promise<Opening> {
  const { openSelf } = await import('../fleet/open-self.ts');
  const { fleet, caller } = openSelf(cli.env);
  return { fleet, caller, loadAll: async () => {}, close: async () => fleet[Symbol.asyncDispose]() };
}

async function callOperation<Name extends keyof Answers>(
  { fleet, caller }: { readonly fleet: Fleet; readonly caller: Caller },
  name: Name,
  { input, ...options }: CallOptions & { readonly input: object },
): Promise<Answers[Name]> {
  const { invoke } = await import('../operations/invoke.ts');
  const operation = await LOAD_OPERATION[name]();
  const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
  // The answer is what the operation's own handler returned, whose type `Answers` repeats.
  return (await invoke(operation, given, { fleet, caller, ...options })) as Answers[Name];
}

function userName(env: NodeJS.ProcessEnv): string {
  try {
    return userInfo().username;
  } catch {
    // A user id without an entry in the system's table of users.
    return env['USER'] ?? `uid-${process.getuid?.() ?? 'unknown'}`;
  }
}
