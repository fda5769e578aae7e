import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { FLEET, type ServedFleet } from '../support/fleets/fleet-process.ts';

/** A message of JSON-RPC without its version. */
export interface Message {
  readonly id?: number | string | null;
  readonly method?: string;
  readonly params?: object;
  readonly result?: object;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export function initialize(protocolVersion = '2025-11-25'): Message {
  const clientInfo = { name: 'raw', version: '1' };
  return { id: 1, method: 'initialize', params: { protocolVersion, capabilities: {}, clientInfo } };
}

/** A request of 2026-07-28. */
export function modern(method: string, name?: string, args: object = {}): Message {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return { id: 1, method, params: { _meta, ...(name === undefined ? {} : { name, arguments: args }) } };
}

/** Gives `fleet mcp` these lines, ends its stdin, and reads all that it says. */
export async function stdioMessages(
  env: NodeJS.ProcessEnv,
  lines: readonly (Message | string)[],
): Promise<{ messages: readonly Message[]; stdout: string; stderr: string; code: number | null }> {
  const child = spawn(process.execPath, [FLEET, 'mcp'], { env, stdio: 'pipe' });
  const reading = Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  for (const line of lines) child.stdin.write(`${typeof line === 'string' ? line : withVersion(line)}\n`);
  child.stdin.end();
  const [stdout, stderr, [code]] = await reading;
  const messages = stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Message);
  return { messages, stdout, stderr, code: code as number | null };
}

/** One request at /mcp, as it is; the answer may be plain or a stream of one event. */
export async function postMcp(
  served: ServedFleet,
  message: Message | string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ status: number; headers: Headers; message: Message; text: string }> {
  const isModern = typeof message !== 'string' && JSON.stringify(message.params ?? {}).includes('2026-07-28');
  const name = typeof message === 'string' ? undefined : (message.params as { name?: string })?.name;
  const response = await fetch(served.mcp_url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${served.token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(isModern && typeof message !== 'string'
        ? { 'mcp-protocol-version': '2026-07-28', 'mcp-method': message.method ?? '' }
        : {}),
      ...(isModern && name !== undefined ? { 'mcp-name': name } : {}),
      ...headers,
    },
    body: typeof message === 'string' ? message : withVersion(message),
  });
  const body = await response.text();
  const data = /^data: (.+)$/m.exec(body)?.[1] ?? body;
  return {
    status: response.status,
    headers: response.headers,
    message: JSON.parse(data) as Message,
    text: body,
  };
}

function withVersion(message: Message): string {
  return JSON.stringify({ jsonrpc: '2.0', ...message });
}
