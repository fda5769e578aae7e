import { Client as ClientV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { FleetError, isErrorCode } from '../../src/domain/errors.ts';
import type { Answer, Ask } from './fleet-under-test.ts';
import { FLEET } from './fleet-process.ts';

export type ClientKind = 'SDK v1' | 'SDK v2, legacy era' | 'SDK v2, modern era';

export const CLIENT_KINDS: readonly ClientKind[] = ['SDK v1', 'SDK v2, legacy era', 'SDK v2, modern era'];

interface ToolResult {
  readonly isError?: boolean | undefined;
  readonly structuredContent?: unknown;
  readonly content?: unknown;
}

export interface StdioClient extends AsyncDisposable {
  readonly ask: Ask;
  readonly client: ClientV1 | ClientV2;
}

/** A real MCP client on `fleet mcp`. Its calls fail with the FleetError that the server told. */
export async function stdioClient(
  kind: ClientKind,
  env: NodeJS.ProcessEnv,
  ...args: string[]
): Promise<StdioClient> {
  const server = {
    command: process.execPath,
    args: [FLEET, 'mcp', ...args],
    env: plain(env),
    stderr: 'inherit' as const,
  };
  const info = { name: 'fleet-tests', version: '1.0.0' };
  let client: ClientV1 | ClientV2;
  if (kind === 'SDK v1') {
    client = new ClientV1(info);
    await client.connect(new StdioV1(server));
  } else {
    client = new ClientV2(
      info,
      kind === 'SDK v2, modern era' ? { versionNegotiation: { mode: 'auto' } } : {},
    );
    await client.connect(new StdioV2(server));
  }
  return {
    client,
    ask: async (name, input = {}) =>
      answerOf((await client.callTool({ name, arguments: input }, ...([] as never[]))) as ToolResult),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/** The structured answer of a tool, or the error that it carries. */
export function answerOf(result: ToolResult): Answer {
  if (result.isError !== true) return result.structuredContent as Answer;
  const [first] = result.content as { text: string }[];
  const { error } = JSON.parse(first?.text ?? '{}') as {
    error: { code: string; message: string; details: object };
  };
  if (!isErrorCode(error.code)) throw new Error(`unknown code ${error.code}`);
  throw new FleetError(error.code, error.message, { ...error.details });
}

function plain(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
