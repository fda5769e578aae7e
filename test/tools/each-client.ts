import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { FLEET } from '../support/fleets/fleet-process.ts';
import { CLIENT_KINDS, connectClient, type ClientKind } from '../support/mcp-clients.ts';
import { pythonProgram } from './python.ts';

export const EVERY_CLIENT = [...CLIENT_KINDS, 'Python, legacy era', 'Python, modern era'] as const;
export type AnyClient = (typeof EVERY_CLIENT)[number];

export interface Call {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** What a user who allows everything gives as the answer to a question of a server. */
export const ANSWER = 'because';

export interface Used {
  readonly questions: readonly string[];
  /** The names of the tools that the client was offered after its calls. */
  readonly tools: readonly string[];
  readonly results: readonly { readonly isError: boolean; readonly text: string }[];
}

/** Has a client start `fleet mcp`, make calls one after another, and list the tools. Its user allows what the fleet asks,
 *  and answers what a server asks. */
export async function useFleet(
  kind: AnyClient,
  env: NodeJS.ProcessEnv,
  calls: readonly Call[],
): Promise<Used> {
  if (isOurs(kind)) return useByScript(kind, env, calls);
  const client = fileURLToPath(new URL('./python-client.py', import.meta.url));
  const child = spawn(pythonProgram('python'), [client], { stdio: ['pipe', 'pipe', 'inherit'] });
  const mode = kind === 'Python, legacy era' ? 'legacy' : 'auto';
  child.stdin.end(
    JSON.stringify({ command: process.execPath, args: [FLEET, 'mcp'], env, mode, calls, answer: ANSWER }),
  );
  const [said] = await Promise.all([text(child.stdout), once(child, 'close')]);
  return JSON.parse(said) as Used;
}

function isOurs(kind: AnyClient): kind is ClientKind {
  return CLIENT_KINDS.some((each) => each === kind);
}

async function useByScript(kind: ClientKind, env: NodeJS.ProcessEnv, calls: readonly Call[]): Promise<Used> {
  await using client = await connectClient(kind, { env }, (message) => ({
    action: 'accept',
    content: message.startsWith('Allow ') ? { allow: true } : { answer: ANSWER },
  }));
  const results = [];
  for (const { name, arguments: args } of calls) results.push(await client.call(name, { ...args }));
  const tools = (await client.tools()).map(({ name }) => name);
  return { tools, results, questions: client.questions };
}
