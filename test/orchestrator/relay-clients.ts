import { Client, StreamableHTTPClientTransport, type JSONRPCMessage } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { FLEET } from '../support/fleets/fleet-process.ts';
import type { McpEndpoint } from '../support/mcp-clients.ts';

export type Answer = { action: 'accept' | 'decline' | 'cancel'; content?: Record<string, string | boolean> };

/** An endpoint of the fleet, or a program that leads to one. */
export type AskableEndpoint = McpEndpoint | { readonly command: readonly string[] };

export interface AskableClient extends AsyncDisposable {
  readonly client: Client;
  readonly questions: string[];
  readonly changes: number;
  /** Progress as it came by the wire: the SDK's client loses one that its result follows in the same piece. */
  readonly progress: readonly unknown[];
  call(name: string, args?: Record<string, unknown>, options?: CallOptions): Promise<CallAnswer>;
}

export type CallAnswer = Record<string, unknown> & { isError?: boolean; content: { text: string }[] };

export interface CallOptions {
  readonly onprogress?: (progress: { progress: number; message?: string | undefined }) => void;
  readonly signal?: AbortSignal;
}

/** Clients of both eras, at both interfaces. */
export const CLIENTS = [
  { mode: 'legacy', over: 'stdio' },
  { mode: 'auto', over: 'stdio' },
  { mode: 'legacy', over: 'HTTP' },
  { mode: 'auto', over: 'HTTP' },
] as const;
export type ClientKind = (typeof CLIENTS)[number];

/** A client of either era whose user answers every question the same way; without an answer it cannot be asked. */
export async function askableClient(
  mode: 'legacy' | 'auto',
  endpoint: AskableEndpoint,
  answer?: (message: string) => Answer,
): Promise<AskableClient> {
  const questions: string[] = [];
  let changes = 0;
  const client = new Client(
    { name: 'askable', version: '1' },
    {
      capabilities: answer === undefined ? {} : { elicitation: {} },
      versionNegotiation: { mode },
      listChanged: { tools: { onChanged: () => void (changes += 1), autoRefresh: false, debounceMs: 0 } },
    },
  );
  if (answer !== undefined) {
    client.setRequestHandler('elicitation/create', ({ params }) => {
      questions.push(params.message);
      return answer(params.message);
    });
  }
  const transport = transportTo(endpoint);
  await client.connect(transport);
  const progress: unknown[] = [];
  const deliver = transport.onmessage;
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is no EventTarget
  transport.onmessage = (message: JSONRPCMessage) => {
    if ('method' in message && message.method === 'notifications/progress')
      progress.push(message.params?.['progress']);
    deliver?.(message);
  };
  return {
    progress,
    client,
    questions,
    get changes() {
      return changes;
    },
    call: async (name, args = {}, options = {}) =>
      (await client.callTool({ name, arguments: args }, { ...options })) as CallAnswer,
    [Symbol.asyncDispose]: () => client.close(),
  };
}

function transportTo(endpoint: AskableEndpoint) {
  if ('command' in endpoint) {
    const [command = '', ...args] = endpoint.command;
    return new StdioClientTransport({ command, args: [...args], stderr: 'inherit' });
  }
  if ('mcp_url' in endpoint) {
    const headers = { Authorization: `Bearer ${endpoint.token}` };
    return new StreamableHTTPClientTransport(new URL(endpoint.mcp_url), { requestInit: { headers } });
  }
  const env = Object.entries(endpoint.env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return new StdioClientTransport({
    command: process.execPath,
    args: [FLEET, 'mcp', ...(endpoint.args ?? [])],
    env: Object.fromEntries(env),
    stderr: 'inherit',
  });
}
