import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema, ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { FleetError, isErrorCode } from '../../src/domain/values/errors.ts';
import type { Answer, Ask } from './fleets/fleet-under-test.ts';
import { FLEET } from './fleets/fleet-process.ts';

export const CLIENT_KINDS = ['SDK v1', 'SDK v2, legacy era', 'SDK v2, modern era'] as const;
export type ClientKind = (typeof CLIENT_KINDS)[number];

/** Where a client connects: `fleet mcp` that it starts itself, or a running server. */
export type McpEndpoint =
  | { readonly env: NodeJS.ProcessEnv; readonly args?: readonly string[] }
  | { readonly mcp_url: string; readonly token: string };

export interface Tool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: object;
  readonly outputSchema?: object | undefined;
  readonly annotations?: object | undefined;
}

export interface ToolResult {
  readonly isError: boolean;
  readonly structuredContent?: unknown;
  /** Of the first content block. */
  readonly text: string;
  readonly meta: Readonly<Record<string, unknown>>;
}

export interface CallOptions {
  readonly onprogress?: (progress: { progress: number; message?: string | undefined }) => void;
  readonly signal?: AbortSignal;
}

type Completing = Parameters<ClientV2['complete']>[0];

/** What the two SDKs have in common. */
export interface McpClient extends AsyncDisposable {
  /** Calls a tool; fails with the FleetError that the server told. */
  readonly ask: Ask;
  readonly era: 'legacy' | 'modern';
  /** What the server asked its user. */
  readonly questions: readonly string[];
  server(): { readonly name: string; readonly version: string } | undefined;
  instructions(): string | undefined;
  capabilities(): object | undefined;
  tools(): Promise<readonly Tool[]>;
  call(name: string, args?: Answer, options?: CallOptions): Promise<ToolResult>;
  resources(): Promise<readonly string[]>;
  read(uri: string): Promise<unknown>;
  complete(request: Completing): Promise<readonly string[]>;
  prompts(): Promise<readonly string[]>;
  prompt(name: string, args: Record<string, string>): Promise<string>;
  /** Resolves once the subscription holds. */
  subscribe(uri: string, onUpdate: (uri: string) => void): Promise<void>;
}

/** What the user of a client answers to a question. */
export type Reply = (message: string) => {
  action: 'accept' | 'decline';
  content?: Record<string, string | boolean>;
};

const decline: Reply = () => ({ action: 'decline' });

/** A real MCP client at a endpoint, whose user declines unless told otherwise. */
export function connectClient(kind: ClientKind, endpoint: McpEndpoint, reply = decline): Promise<McpClient> {
  return kind === 'SDK v1'
    ? connectV1(endpoint, reply)
    : connectV2(endpoint, { mode: kind === 'SDK v2, modern era' ? 'auto' : 'legacy', reply });
}

/** A real MCP client on `fleet mcp`. */
export function stdioClient(kind: ClientKind, env: NodeJS.ProcessEnv, ...args: string[]): Promise<McpClient> {
  return connectClient(kind, { env, args });
}

const IDENTITY = { name: 'fleet-tests', version: '1.0.0' };
const CAPABILITIES = { capabilities: { elicitation: {} } };

async function connectV1(endpoint: McpEndpoint, reply: Reply): Promise<McpClient> {
  const client = new ClientV1(IDENTITY, CAPABILITIES);
  const questions: string[] = [];
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    questions.push(params.message);
    return reply(params.message);
  });
  await client.connect(
    'mcp_url' in endpoint
      ? new HttpV1(new URL(endpoint.mcp_url), withToken(endpoint))
      : new StdioV1(program(endpoint)),
  );
  return complete(client, 'legacy', {
    questions,
    call: async (name, args = {}, options = {}) =>
      toResult(await client.callTool({ name, arguments: args }, undefined, { ...options })),
    subscribe: async (uri, onUpdate) => {
      client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => onUpdate(params.uri));
      await client.subscribeResource({ uri });
    },
  });
}

async function connectV2(
  endpoint: McpEndpoint,
  { mode, reply }: { readonly mode: 'auto' | 'legacy'; readonly reply: Reply },
): Promise<McpClient> {
  const client = new ClientV2(IDENTITY, { ...CAPABILITIES, versionNegotiation: { mode } });
  const questions: string[] = [];
  client.setRequestHandler('elicitation/create', ({ params }) => {
    questions.push(params.message);
    return reply(params.message);
  });
  await client.connect(
    'mcp_url' in endpoint
      ? new HttpV2(new URL(endpoint.mcp_url), withToken(endpoint))
      : new StdioV2(program(endpoint)),
  );
  const era = client.getProtocolEra();
  if (era === undefined) throw new Error('no era');
  return complete(client, era, {
    questions,
    call: async (name, args = {}, options = {}) =>
      toResult(await client.callTool({ name, arguments: args }, { ...options })),
    subscribe: async (uri, onUpdate) => {
      client.setNotificationHandler('notifications/resources/updated', ({ params }) => onUpdate(params.uri));
      await (era === 'modern'
        ? client.listen({ resourceSubscriptions: [uri] })
        : client.subscribeResource({ uri }));
    },
  });
}

function complete(
  client: ClientV1 | ClientV2,
  era: McpClient['era'],
  own: Pick<McpClient, 'call' | 'subscribe' | 'questions'>,
): McpClient {
  return {
    ...own,
    era,
    ask: async (name, input = {}) => answerOf(await own.call(name, input)),
    server: () => client.getServerVersion(),
    instructions: () => client.getInstructions(),
    capabilities: () => client.getServerCapabilities(),
    tools: async () => (await client.listTools()).tools,
    resources: async () => [
      ...(await client.listResources()).resources.map((each) => each.uri),
      ...(await client.listResourceTemplates()).resourceTemplates.map((each) => each.uriTemplate),
    ],
    read: async (uri) => firstText((await client.readResource({ uri })).contents),
    complete: async (request) => (await client.complete(request)).completion.values,
    prompts: async () => (await client.listPrompts()).prompts.map((each) => each.name),
    prompt: async (name, args) => promptText((await client.getPrompt({ name, arguments: args })).messages),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/** The structured answer of a tool, or the error that it carries. */
export function answerOf(result: ToolResult): Answer {
  if (!result.isError) return result.structuredContent as Answer;
  const { error } = JSON.parse(result.text) as {
    error: { code: string; message: string; details: object };
  };
  if (!isErrorCode(error.code)) throw new Error(`unknown code ${error.code}`);
  throw new FleetError(error.code, error.message, { ...error.details });
}

function program({ env, args = [] }: { env: NodeJS.ProcessEnv; args?: readonly string[] }) {
  const plain = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return {
    command: process.execPath,
    args: [FLEET, 'mcp', ...args],
    env: Object.fromEntries(plain),
    stderr: 'inherit' as const,
  };
}

function withToken({ token }: { token: string }) {
  return { requestInit: { headers: { Authorization: `Bearer ${token}` } } };
}

function toResult(result: Record<string, unknown>): ToolResult {
  const [first] = result['content'] as { text?: string }[];
  return {
    isError: result['isError'] === true,
    structuredContent: result['structuredContent'],
    text: first?.text ?? '',
    meta: { ...(result['_meta'] as object | undefined) },
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
