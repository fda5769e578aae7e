import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const program = fileURLToPath(new URL('stdio-program.ts', import.meta.url));

const INITIALIZE = {
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};
const INITIALIZED = { method: 'notifications/initialized' };

function call(id: number, name: string, args: object) {
  return { id, method: 'tools/call', params: { name, arguments: args } };
}

function start() {
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
  const output = text(child.stdout);
  const exited = once(child, 'exit');
  const send = (...messages: object[]) => {
    for (const message of messages) child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  };
  const end = async () => {
    const [code] = (await exited) as [number | null];
    const lines = (await output).split('\n').filter((line) => line !== '');
    return { code, messages: lines.map((line) => JSON.parse(line) as { id?: number; result?: object }) };
  };
  return { child, send, end };
}

describe('MCP on stdio', () => {
  test('answers what came before stdin ended, and ends; all of stdout is protocol', async () => {
    const { child, send, end } = start();
    send(INITIALIZE, INITIALIZED, call(2, 'list_agents', {}));
    send(call(3, 'wait_for_agents', { agent_names: 'papi', timeout_seconds: 0.3 }), call(4, 'no_tool', {}));
    child.stdin.end();
    const { code, messages } = await end();
    expect(code).toBe(0);
    expect(new Set(messages.map((message) => message.id))).toEqual(new Set([1, 2, 3, 4]));
    expect(messages).toHaveLength(4);
  });

  test('does not wait for a long call when stdin has ended', async () => {
    const { child, send, end } = start();
    send(INITIALIZE, INITIALIZED, call(2, 'wait_for_agents', { agent_names: 'papi', timeout_seconds: 3600 }));
    child.stdin.end();
    const { code, messages } = await end();
    expect(code).toBe(0);
    expect(messages.map((message) => message.id)).toEqual([1]);
  });

  test('ends by its signal while stdin is open', async () => {
    const { child, send, end } = start();
    send(INITIALIZE);
    await once(child.stdout, 'data');
    child.kill('SIGTERM');
    expect((await end()).code).toBe(0);
  });

  test('outlives lines that are not protocol messages', async () => {
    const { child, send, end } = start();
    child.stdin.write('hello\n{"jsonrpc": "1.0"}\n\n');
    send(INITIALIZE);
    child.stdin.end();
    expect((await end()).messages).toHaveLength(1);
  });
});
