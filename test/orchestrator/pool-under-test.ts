import { mcpServerSchema } from '../../src/config/mcp-server-schema.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Caller } from '../../src/domain/principal.ts';
import type { McpConnection, UpstreamLimits } from '../../src/orchestrator/servers/mcp-connection.ts';
import { Orchestrator, type OrchestratorParts } from '../../src/orchestrator/orchestrator.ts';
import { defineServer, type ServerDefinition } from '../../src/orchestrator/servers/server-definition.ts';
import type { ToolCall, ToolResult } from '../../src/orchestrator/tool-agents/tool-agent.ts';
import type { ToolServers } from '../../src/orchestrator/servers/tool-servers.ts';
import { UpstreamPool } from '../../src/orchestrator/upstream/upstream-pool.ts';
import { upstream } from './upstream-place.ts';

export const CALLER: Caller = {
  principal: { kind: 'mcp', name: 'test' },
  door: 'mcp-stdio',
  source: 'ai',
  scopes: new Set(['read', 'operate']),
};

export interface PoolUnderTest extends AsyncDisposable {
  readonly home: string;
  readonly pool: UpstreamPool;
  readonly servers: ToolServers;
  readonly orchestrator: Orchestrator;
  call(tool: string, args?: object, call?: Partial<ToolCall>): Promise<ToolResult>;
  connection(server: string): McpConnection;
  /** Resolves when a server is as it should be. */
  until(server: string, isSo: (connection: McpConnection) => boolean): Promise<McpConnection>;
}

export interface PoolOptions {
  readonly limits?: Partial<UpstreamLimits>;
  readonly home?: string;
  readonly policy?: OrchestratorParts['policy'];
  readonly rules?: readonly string[];
}

/** Upstream servers as the configuration would name them, in this process. */
export async function poolWith(
  entries: Readonly<Record<string, object>>,
  { limits = {}, home, policy, rules = [] }: PoolOptions = {},
): Promise<PoolUnderTest> {
  const directory = home ?? mkdtempSync(join(tmpdir(), 'fleet-pool-'));
  const pool = new UpstreamPool({ home: directory, limits, linger_ms: 0 });
  const servers = pool.attach();
  await servers.declare(definitions(entries, directory));
  const orchestrator = new Orchestrator({
    servers,
    policy: policy ?? (() => ({ prefix: true, approve: 'destructive' })),
    rules: () => rules,
  });
  const connection = (server: string): McpConnection => {
    const found = servers.connections().find(({ serverName }) => serverName === server);
    if (found === undefined) throw new Error(`no ${server}`);
    return found;
  };
  return {
    home: directory,
    pool,
    servers,
    orchestrator,
    call: (tool, args = {}, call = {}) =>
      orchestrator.execute(tool, { ...args }, { caller: CALLER, correlation_id: 'c1', ...call }),
    connection,
    until: (server, isSo) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!isSo(connection(server))) return;
          stop();
          resolve(connection(server));
        };
        const stop = servers.subscribe(look);
        look();
      }),
    [Symbol.asyncDispose]: async () => {
      await orchestrator[Symbol.asyncDispose]();
      await pool[Symbol.asyncDispose]();
      if (home === undefined) rmSync(directory, { recursive: true, force: true });
    },
  };
}

export function definitions(
  entries: Readonly<Record<string, object>>,
  directory: string,
): readonly ServerDefinition[] {
  return Object.entries(entries).map(([name, entry]) =>
    defineServer(
      name,
      { ...mcpServerSchema.parse(entry), missing_variables: [] },
      { directory, env: process.env },
    ),
  );
}

export const isReady = ({ status }: McpConnection): boolean => status === 'ready';

/** A pool with one server, once it is ready. */
export async function readyPool(program: string, options: PoolOptions & { entry?: object } = {}) {
  const { entry = {}, ...rest } = options;
  const pool = await poolWith({ lab: upstream(program, entry) }, rest);
  await pool.until('lab', isReady);
  return pool;
}
