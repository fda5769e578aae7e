import { Client as NewClient, StreamableHTTPClientTransport as NewHttp } from '@modelcontextprotocol/client';
import { StdioClientTransport as NewStdio } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as OldHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';

/** The real clients: SDK 1, and SDK 2 in the old and the new era. */
export const CLIENT_KINDS = ['sdk 1', 'sdk 2, old era', 'sdk 2, new era'] as const;
export type ClientKind = (typeof CLIENT_KINDS)[number];

export type Door =
  | { readonly url: string; readonly token: string }
  | { readonly command: string; readonly args: readonly string[] };

export interface Tool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: object;
  readonly outputSchema?: object | undefined;
  readonly annotations?: object | undefined;
}

export interface ToolResult {
  readonly isError?: boolean | undefined;
  readonly structuredContent?: unknown;
  /** Of the first content block. */
  readonly text: string;
  readonly meta: Readonly<Record<string, unknown>>;
}

export interface CallOptions {
  readonly onprogress?: (progress: { progress: number; message?: string | undefined }) => void;
  readonly signal?: AbortSignal;
}

type Completing = Parameters<NewClient['complete']>[0];

export interface TestClient extends AsyncDisposable {
  readonly era: 'legacy' | 'modern';
  server(): { readonly name: string; readonly version: string } | undefined;
  instructions(): string | undefined;
  capabilities(): object | undefined;
  tools(): Promise<readonly Tool[]>;
  call(name: string, args?: Record<string, unknown>, options?: CallOptions): Promise<ToolResult>;
  resources(): Promise<readonly string[]>;
  read(uri: string): Promise<unknown>;
  complete(request: Completing): Promise<readonly string[]>;
  prompts(): Promise<readonly string[]>;
  prompt(name: string, args: Record<string, string>): Promise<string>;
  /** Resolves once the subscription holds. */
  subscribe(uri: string, onUpdate: (uri: string) => void): Promise<void>;
}

export function connectClient(kind: ClientKind, door: Door): Promise<TestClient> {
  return kind === 'sdk 1'
    ? connectOld(door)
    : connectNew(door, kind === 'sdk 2, new era' ? 'auto' : 'legacy');
}

const IDENTITY = { name: 'test', version: '1.0.0' };

async function connectOld(door: Door): Promise<TestClient> {
  const client = new OldClient(IDENTITY);
  await client.connect(
    'url' in door
      ? new OldHttp(new URL(door.url), { requestInit: { headers: bearer(door.token) } })
      : new OldStdio({ command: door.command, args: [...door.args] }),
  );
  return {
    era: 'legacy',
    server: () => client.getServerVersion(),
    instructions: () => client.getInstructions(),
    capabilities: () => client.getServerCapabilities(),
    tools: async () => (await client.listTools()).tools,
    call: async (name, args = {}, options = {}) =>
      toResult(await client.callTool({ name, arguments: args }, undefined, { ...options })),
    resources: async () => [
      ...(await client.listResources()).resources.map((each) => each.uri),
      ...(await client.listResourceTemplates()).resourceTemplates.map((each) => each.uriTemplate),
    ],
    read: async (uri) => firstText((await client.readResource({ uri })).contents),
    complete: async (request) => (await client.complete(request)).completion.values,
    prompts: async () => (await client.listPrompts()).prompts.map((each) => each.name),
    prompt: async (name, args) => promptText((await client.getPrompt({ name, arguments: args })).messages),
    subscribe: async (uri, onUpdate) => {
      client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => onUpdate(params.uri));
      await client.subscribeResource({ uri });
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

async function connectNew(door: Door, mode: 'auto' | 'legacy'): Promise<TestClient> {
  const client = new NewClient(IDENTITY, { versionNegotiation: { mode } });
  await client.connect(
    'url' in door
      ? new NewHttp(new URL(door.url), { requestInit: { headers: bearer(door.token) } })
      : new NewStdio({ command: door.command, args: [...door.args] }),
  );
  const era = client.getProtocolEra();
  if (era === undefined) throw new Error('no era');
  return {
    era,
    server: () => client.getServerVersion(),
    instructions: () => client.getInstructions(),
    capabilities: () => client.getServerCapabilities(),
    tools: async () => (await client.listTools()).tools,
    call: async (name, args = {}, options = {}) =>
      toResult(await client.callTool({ name, arguments: args }, { ...options })),
    resources: async () => [
      ...(await client.listResources()).resources.map((each) => each.uri),
      ...(await client.listResourceTemplates()).resourceTemplates.map((each) => each.uriTemplate),
    ],
    read: async (uri) => firstText((await client.readResource({ uri })).contents),
    complete: async (request) => (await client.complete(request)).completion.values,
    prompts: async () => (await client.listPrompts()).prompts.map((each) => each.name),
    prompt: async (name, args) => promptText((await client.getPrompt({ name, arguments: args })).messages),
    subscribe: async (uri, onUpdate) => {
      client.setNotificationHandler('notifications/resources/updated', ({ params }) => onUpdate(params.uri));
      await (era === 'modern'
        ? client.listen({ resourceSubscriptions: [uri] })
        : client.subscribeResource({ uri }));
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

function bearer(token: string): Record<string, string> {
  return { Authorization: `Bearer ${token}` };
}

function toResult(result: {
  [key: string]: unknown;
  isError?: unknown;
  structuredContent?: unknown;
  content?: unknown;
  _meta?: unknown;
}): ToolResult {
  const [first] = Array.isArray(result.content) ? (result.content as readonly { text?: string }[]) : [];
  return {
    isError: result.isError === true,
    structuredContent: result.structuredContent,
    text: first?.text ?? '',
    meta: { ...(result._meta as object) },
  };
}

function firstText(contents: readonly object[]): unknown {
  const [first] = contents;
  return first !== undefined && 'text' in first ? JSON.parse(String(first.text)) : undefined;
}

function promptText(messages: readonly { content: object }[]): string {
  const content = messages[0]?.content;
  return content !== undefined && 'text' in content ? String(content.text) : '';
}
