import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { eventsCaller, modernCaller, sessionCaller, type Caller, type HttpPlace } from './callers.ts';

/** Another program that puts HTTP before a stdio server, and how it is started and called. */
export interface Peer {
  readonly name: string;
  readonly package: string;
  readonly version: string;
  /** Words of its command line after the file of its program. */
  args(at: {
    readonly port: number;
    readonly server: readonly string[];
    readonly directory: string;
  }): string[];
  readonly program: string;
  caller(place: HttpPlace, wires: number): Promise<Caller>;
  readonly tool: string;
}

const quoted = (words: readonly string[]): string => words.map((word) => `"${word}"`).join(' ');

export const PEERS: readonly Peer[] = [
  {
    name: 'mcp-hub',
    package: 'mcp-hub',
    version: '4.2.1',
    program: 'dist/cli.js',
    args: ({ port, server: [command, ...args], directory }) => {
      const config = join(directory, 'mcp-hub.json');
      writeFileSync(config, JSON.stringify({ mcpServers: { echo: { command, args } } }));
      return ['--port', String(port), '--config', config];
    },
    caller: eventsCaller,
    tool: 'echo__echo',
  },
  {
    name: 'supergateway',
    package: 'supergateway',
    version: '4.0.0',
    program: 'dist/index.js',
    args: ({ port, server }) => [
      '--stdio',
      quoted(server),
      '--outputTransport',
      'streamableHttp',
      '--stateful',
      '--logLevel',
      'none',
      '--port',
      String(port),
    ],
    caller: sessionCaller,
    tool: 'echo',
  },
  {
    name: 'mcp-proxy',
    package: 'mcp-proxy',
    version: '6.7.19',
    program: 'dist/bin/mcp-proxy.mjs',
    args: ({ port, server }) => [
      '--port',
      String(port),
      '--host',
      '127.0.0.1',
      '--server',
      'stream',
      '--',
      ...server,
    ],
    caller: modernCaller,
    tool: 'echo',
  },
  {
    name: '1mcp',
    package: '@1mcp/agent',
    version: '0.35.0',
    program: 'build/index.js',
    args: ({ port, server: [command, ...args], directory }) => {
      const config = join(directory, '1mcp.json');
      writeFileSync(config, JSON.stringify({ mcpServers: { echo: { command, args } } }));
      return ['serve', '--port', String(port), '--host', '127.0.0.1', '--config', config];
    },
    caller: sessionCaller,
    tool: 'echo_1mcp_echo',
  },
];

/** Brings a peer into a cache of the bench's own. Undefined when it cannot be had. */
export function installedPeer({ package: name, version, program }: Peer): string | undefined {
  const directory = join(peersCache(), `${name.replaceAll('/', '+')}@${version}`);
  const file = join(directory, 'node_modules', name, program);
  if (existsSync(file)) return file;
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'package.json'), '{ "private": true }');
  spawnSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', `${name}@${version}`], {
    cwd: directory,
    stdio: 'ignore',
    timeout: 180_000,
  });
  return existsSync(file) ? file : undefined;
}

function peersCache(env: NodeJS.ProcessEnv = process.env): string {
  if ((env['FLEET_BENCH_PEERS'] ?? '') !== '') return env['FLEET_BENCH_PEERS'] ?? '';
  const otherwise =
    process.platform === 'darwin' ? join(homedir(), 'Library', 'Caches') : join(homedir(), '.cache');
  return join(env['XDG_CACHE_HOME'] || otherwise, 'fleet-bench-peers');
}
