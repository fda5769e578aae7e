import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { terminalUser } from '../../src/cli/calls/run-operation.ts';
import { toFleetError } from '../../src/domain/values/errors.ts';
import type { Caller as Principal } from '../../src/domain/principal.ts';
import { findOperation } from '../../src/operations/table.ts';
import { FLEET } from '../support/fleets/fleet-process.ts';
import { askAs, HUMAN, type Answer } from '../support/fleets/fleet-under-test.ts';
import { startCutServer } from './cuts/cut-server.ts';
import { CUT_DIRECTORY, CUT_ROLE } from './cuts/cut-files.ts';
import { CUT } from './cuts/give-cut.ts';
import type { Stage } from './stage.ts';

export type Interface = 'cli' | 'server' | 'harness';

export interface Call {
  readonly operation: string;
  readonly input: Answer;
}

/** What the caller heard. */
export type Outcome =
  | { readonly kind: 'answered'; readonly answer: Answer }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string }
  | { readonly kind: 'cut' };

/** Somebody who calls an operation and may be stopped, or see another stopped, on the way. */
export interface Caller extends AsyncDisposable {
  call(call: Call): Promise<Outcome>;
}

export const INTERFACES: Readonly<Record<Interface, (stage: Stage) => Promise<Caller>>> = {
  cli: async (stage) => ({ call: (call) => byCommand(stage, call), [Symbol.asyncDispose]: async () => {} }),
  server: byServer,
  harness: async (stage) => ({
    call: (call) => byHarness(stage, call, 'harness'),
    [Symbol.asyncDispose]: async () => {},
  }),
};

/** A key belongs to whoever used it: a call is repeated in the name of who made it. */
const PRINCIPALS: Readonly<Record<Interface, () => Principal>> = {
  cli: () => terminalUser(process.env),
  server: () => ({ ...HUMAN, principal: { kind: 'token', name: 'default' }, door: 'http' }),
  harness: () => HUMAN,
};

export async function byHarness(stage: Stage, { operation, input }: Call, as: Interface): Promise<Outcome> {
  try {
    const ask = askAs(stage.opened.fleet, PRINCIPALS[as]());
    return { kind: 'answered', answer: await ask(operation, input) };
  } catch (thrown) {
    const { code, message } = toFleetError(thrown);
    // A defect is told with where it is: nobody else sees this answer.
    if (code === 'INTERNAL_ERROR' && thrown instanceof Error)
      return { kind: 'failed', code, message: thrown.stack ?? thrown.message };
    return { kind: 'failed', code, message };
  }
}

/** `fleet call` as a process. What it printed before it was stopped is an answer. */
async function byCommand(stage: Stage, { operation, input }: Call): Promise<Outcome> {
  const args = ['--import', CUT, FLEET, 'call', operation, JSON.stringify(input)];
  const env = { ...stage.env, [CUT_DIRECTORY]: stage.directory, [CUT_ROLE]: 'cli' };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  let stdout = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString('utf8')));
  await once(child, 'close');
  return outcomeOf(stdout);
}

async function byServer(stage: Stage): Promise<Caller> {
  const server = await startCutServer(stage);
  return {
    call: async (call) => (server === undefined ? { kind: 'cut' } : byRequest(server, call)),
    [Symbol.asyncDispose]: async () => server?.[Symbol.asyncDispose](),
  };
}

/** By the REST interface of a server. */
export async function byRequest(
  { url, token }: { readonly url: string; readonly token: string },
  call: Call,
): Promise<Outcome> {
  const { method, path, body } = requestOf(call);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const sent = fetch(url + path, { method, headers, ...(body === undefined ? {} : { body }) });
  return outcomeOf(await sent.then((response) => response.text()).catch(() => ''));
}

function requestOf({ operation, input }: Call): { method: string; path: string; body?: string } {
  const route = findOperation(operation)?.route;
  if (route === undefined) throw new Error(`no operation ${operation}`);
  const rest = new Map(Object.entries(input));
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(rest.get(name));
    rest.delete(name);
    return encodeURIComponent(value);
  });
  const { method } = route;
  const full = `/api/v1${path}`;
  if (method !== 'GET' && method !== 'DELETE')
    return { method, path: full, body: JSON.stringify(Object.fromEntries(rest)) };
  const query = new URLSearchParams();
  for (const [key, value] of rest) query.set(key, String(value));
  return { method, path: `${full}?${query.toString()}` };
}

/** What was printed or sent before whoever did it was stopped is an answer when it is whole. */
export function outcomeOf(text: string): Outcome {
  let answer: Answer;
  try {
    answer = JSON.parse(text) as Answer;
  } catch {
    return { kind: 'cut' };
  }
  const error = answer['error'] as { code: string; message: string } | undefined;
  return error === undefined ? { kind: 'answered', answer } : { kind: 'failed', ...error };
}
