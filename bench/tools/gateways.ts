import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Edition } from '../editions.ts';
import type { Stage } from '../stage.ts';
import type { HttpPlace } from './callers.ts';
import { installedPeer, type Peer } from './peers.ts';

const MAX_WAIT_MS = 30_000;
export const ECHO = [process.execPath, fileURLToPath(new URL('./echo-server.mjs', import.meta.url))] as const;

/** A program that serves MCP over HTTP, for as long as the bench needs it. */
export interface Gateway extends HttpPlace, AsyncDisposable {
  readonly pid: number;
  /** From its start to the first answer. */
  readonly ready_ms: number;
}

/** `fleet serve` with these upstream servers, as a user would start it. */
export async function startFleet(
  stage: Stage,
  { launcher }: Edition,
  { name, mcpServers }: { readonly name: string; readonly mcpServers: Readonly<Record<string, object>> },
): Promise<Gateway & { readonly home: string }> {
  const place = stage.place(name);
  writeFileSync(place.config, JSON.stringify({ version: 1, mcpServers, approve_tools: ['*__drop*'] }));
  const began = performance.now();
  const child = spawn(process.execPath, [launcher, 'serve', '--json', '--port', '0'], {
    cwd: place.cwd,
    env: place.env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const { mcp_url, token_file } = JSON.parse(line) as { mcp_url: string; token_file: string };
  return {
    home: place.home,
    pid: child.pid ?? 0,
    ready_ms: performance.now() - began,
    port: Number(new URL(mcp_url).port),
    tool: 'echo__echo',
    headers: { Authorization: `Bearer ${readFileSync(token_file, 'utf8').trim()}` },
    [Symbol.asyncDispose]: () => end(child),
  };
}

/** Undefined when it cannot be had here. */
export async function startPeer(stage: Stage, peer: Peer): Promise<Gateway | undefined> {
  const file = installedPeer(peer);
  if (file === undefined) return undefined;
  const directory = join(stage.directory, 'peers');
  mkdirSync(directory, { recursive: true });
  const port = await freePort();
  const began = performance.now();
  const child = spawn(process.execPath, [file, ...peer.args({ port, server: ECHO, directory })], {
    cwd: directory,
    env: { PATH: process.env['PATH'], HOME: directory },
    stdio: 'ignore',
  });
  await answers(port, child);
  return {
    pid: child.pid ?? 0,
    ready_ms: performance.now() - began,
    port,
    tool: peer.tool,
    [Symbol.asyncDispose]: () => end(child),
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function answers(port: number, child: ChildProcess): Promise<void> {
  const until = performance.now() + MAX_WAIT_MS;
  while (performance.now() < until && child.exitCode === null) {
    const socket = connect(port, '127.0.0.1');
    const open = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (open) return;
    await delay(50);
  }
  throw new Error(`${child.spawnargs.join(' ')} does not listen on port ${port}`);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), 8_000);
  await exited;
  clearTimeout(late);
}
