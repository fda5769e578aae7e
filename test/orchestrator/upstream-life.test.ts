import { mcpServerSchema } from '../../src/config/mcp-server-schema.ts';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { ConnectionStatus } from '../../src/orchestrator/servers/mcp-connection.ts';
import { definitions, isReady, poolWith, readyPool, type PoolUnderTest } from './pool-under-test.ts';
import { upstream, upstreamFile } from './upstream-place.ts';

afterAll(() => {
  for (const name of ['log', 'timeout']) rmSync(logIn(name), { force: true });
});

const textOf = (result: { data?: unknown }) => (result.data as { text: string }[])[0]?.text;

/** The states that a server goes through. */
function statesOf(pool: PoolUnderTest): ConnectionStatus[] {
  const states: ConnectionStatus[] = [];
  pool.servers.subscribe(() => states.push(pool.connection('lab').status));
  return states;
}

describe('a connection', () => {
  it('goes from disconnected to ready once its tools are listed, and back when it is stopped [MCPCONN-ready, MCPCONN-fields]', async () => {
    await using pool = await poolWith({ lab: upstream('plain', { autoStart: false, idleTimeout: 300 }) });
    expect(pool.connection('lab')).toMatchObject({ serverName: 'lab', status: 'disconnected', tools: [] });
    const states = statesOf(pool);
    const tools: number[] = [];
    pool.servers.subscribe(() => tools.push(pool.connection('lab').tools.length));
    await pool.servers.wake('lab');
    expect(states).toEqual(['connecting', 'connected', 'ready']);
    expect(tools.slice(0, 2)).toEqual([0, 0]);
    expect(tools[2]).toBeGreaterThan(5);
    expect(pool.connection('lab').tools.length).toBeGreaterThan(5);
    await pool.until('lab', ({ status }) => status === 'disconnected');
    expect(states.at(-1)).toBe('disconnected');
    await using well = await readyPool('plain', { limits: { health_ms: 30_000 } });
    expect(await well.servers.isWell('lab')).toBe(true);
    expect(Date.parse(well.connection('lab').lastHealthCheck ?? '')).not.toBeNaN();
  });

  it('that fails shows the error, and is disconnected before the next try [MCPCONN-error, ORCH-reconnect]', async () => {
    await using pool = await poolWith(
      { lab: upstream('quits') },
      { limits: { backoff_ms: 5, max_backoff_ms: 20 } },
    );
    const states = statesOf(pool);
    const tried = (): number => states.filter((status) => status === 'connecting').length;
    await pool.until('lab', () => tried() >= 3);
    const text = states.join(' ');
    expect(text).toContain('error disconnected connecting');
    expect(text).not.toContain('error connecting');
  });

  it('that times out shows the error, and is disconnected before the next try [MCPCONN-error]', async () => {
    await using pool = await poolWith(
      { lab: upstream('silent', { timeout: 300 }) },
      { limits: { backoff_ms: 5, max_backoff_ms: 20 } },
    );
    const states = statesOf(pool);
    const failed = await pool.until('lab', ({ status }) => status === 'error');
    expect(failed.error).toMatch(/300|0\.3/);
    await pool.until('lab', () => states.filter((status) => status === 'connecting').length >= 2);
    expect(states.join(' ')).toContain('error disconnected connecting');
  });

  it('is made at the start unless autoStart is false, with args and env [MCPSERVER-auto-start]', async () => {
    await using pool = await poolWith({
      lab: upstream('plain', { args: ['--extra'], env: { LAB_PLACE: 'here' } }),
      asleep: upstream('plain', { autoStart: false }),
    });
    await pool.until('lab', isReady);
    expect(textOf(await pool.call('lab__environment', { name: 'LAB_PLACE' }))).toBe('here');
    const words = readFileSync(`/proc/${pool.connection('lab').pid ?? 0}/cmdline`, 'utf8').split('\0');
    expect(words).toContain('--extra');
    expect(pool.connection('asleep').status).toBe('disconnected');
    // Its tools are not known yet: a call by its name starts it.
    expect(await pool.call('asleep__echo', { value: 'up' })).toMatchObject({ data: { value: 'up' } });
  });

  it('waits 10 s unless told, and 30 s at most [MCPSERVER-timeout]', () => {
    expect(mcpServerSchema.parse({ command: 'x' }).timeout).toBe(10_000);
    expect(mcpServerSchema.safeParse({ command: 'x', timeout: 30_000 }).success).toBe(true);
    for (const timeout of [0, -1, 1.5, 30_001]) {
      expect(mcpServerSchema.safeParse({ command: 'x', timeout }).success).toBe(false);
    }
  });
});

describe('a server that is lost', () => {
  const listed = ({ orchestrator }: PoolUnderTest): boolean =>
    orchestrator.upstreamTools.some(({ name }) => name === 'lab__echo');

  it('keeps its tools in every listing while it is brought back', async () => {
    await using pool = await readyPool('plain');
    const { pid } = pool.connection('lab');
    const listings: boolean[] = [];
    pool.servers.subscribe(() => listings.push(listed(pool)));
    await expect(pool.call('lab__exit')).rejects.toMatchObject({ details: { reason: 'AGENT_UNAVAILABLE' } });
    expect(await pool.servers.isWell('lab')).toBe(false);
    await pool.until('lab', (now) => isReady(now) && now.pid !== pid);
    expect(listings.length).toBeGreaterThan(3);
    expect(listings).not.toContain(false);
  });

  it('and does not come back is no longer offered, and clients are notified [ORCH-tools-follow]', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'fleet-upstream-'));
    cpSync(dirname(upstreamFile('plain')), directory, { recursive: true });
    const program = join(directory, 'plain.mjs');
    await using pool = await poolWith({ lab: { command: process.execPath, args: [program] } });
    await pool.until('lab', isReady);
    const told: string[] = [];
    pool.orchestrator.onOffersChanged((change) => told.push(change));
    rmSync(program);
    await expect(pool.call('lab__exit')).rejects.toThrow('was lost during tools/call');
    await pool.until('lab', ({ offered }) => !offered);
    expect(listed(pool)).toBe(false);
    expect(told).toEqual(['tools', 'resources', 'prompts']);
    expect(await pool.orchestrator.health()).toMatchObject([{ agentId: 'mcp-lab', status: 'unhealthy' }]);
    rmSync(directory, { recursive: true });
  });
});

describe('a call', () => {
  it('ends when its signal is aborted, and the server is notified [ORCH-execute-signal]', async () => {
    await using pool = await poolWith({ lab: upstream('plain', { env: { LAB_LOG: logIn() } }) });
    await pool.until('lab', isReady);
    const stop = new AbortController();
    const running = pool.call(
      'lab__slow',
      { steps: 500, step_ms: 10 },
      { signal: stop.signal, onProgress: () => stop.abort() },
    );
    await expect(running).rejects.toThrow(/abort/i);
    await until(() => readFileSync(logIn(), 'utf8').includes('canceled at'));
  });

  it('without any answer ends, and the server is notified [ORCH-timeout-cancels]', async () => {
    const log = logIn('timeout');
    await using pool = await poolWith(
      { lab: upstream('plain', { env: { LAB_LOG: log } }) },
      { limits: { call_ms: 200 } },
    );
    await pool.until('lab', isReady);
    await expect(pool.call('lab__slow', { steps: 2, step_ms: 800 })).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      details: { reason: 'TOOL_EXECUTION_TIMEOUT' },
    });
    await until(() => readFileSync(log, 'utf8').includes('canceled at'));
  });

  it('that is safe to repeat is repeated once when the server was lost, and no other [ORCH-retry]', async () => {
    await using pool = await readyPool('plain', { limits: { repeat_ms: 10 } });
    const before = textOf(await pool.call('lab__whoami'));
    const { pid } = pool.connection('lab');
    process.kill(pid ?? 0, 'SIGSTOP');
    const repeated = pool.call('lab__whoami');
    const failed = pool.call('lab__add', { a: 1, b: 1 });
    process.kill(pid ?? 0, 'SIGKILL');
    await expect(failed).rejects.toMatchObject({ details: { reason: 'AGENT_UNAVAILABLE' } });
    const after = textOf(await repeated);
    expect(after).not.toBe(before);
  });
});

describe('a server that nobody calls', () => {
  it('is stopped, never under a call, and woken by the next [ORCH-idle-stop]', async () => {
    await using pool = await readyPool('plain', { entry: { idleTimeout: 200 } });
    const first = textOf(await pool.call('lab__whoami'));
    const states = statesOf(pool);
    expect(textOf(await pool.call('lab__slow', { steps: 4, step_ms: 200 }))).toBe('done');
    expect(states).toEqual([]);
    const asleep = await pool.until('lab', ({ status }) => status === 'disconnected');
    expect(asleep.offered).toBe(true);
    expect(pool.orchestrator.toolToAgent.has('lab__whoami')).toBe(true);
    const second = textOf(await pool.call('lab__whoami'));
    expect(second).not.toBe(first);
  });
});

describe('servers that are declared again', () => {
  it('are left alone when they are the same, and stopped when they are gone', async () => {
    await using pool = await poolWith({ keep: upstream('plain'), drop: upstream('plain') });
    await pool.until('keep', isReady);
    await pool.until('drop', isReady);
    const before = pool.connection('keep').pid;
    await pool.servers.declare(definitions({ keep: upstream('plain'), fresh: upstream('plain') }, pool.home));
    await pool.until('fresh', isReady);
    expect(pool.connection('keep')).toMatchObject({ status: 'ready', pid: before });
    expect(pool.servers.connections().map(({ serverName }) => serverName)).toEqual(['keep', 'fresh']);
    expect([...pool.orchestrator.agents.keys()].toSorted()).toEqual(['mcp-fresh', 'mcp-keep']);
  });
});

describe('shutting down', () => {
  it('takes no longer for many than for one, however bad they are [ORCH-shutdown]', async () => {
    const pool = await poolWith({
      a: upstream('leaky'),
      b: upstream('leaky'),
      c: upstream('leaky'),
      d: upstream('plain'),
    });
    await Promise.all(['a', 'b', 'c', 'd'].map((server) => pool.until(server, isReady)));
    const pids = pool.servers.connections().map(({ pid }) => pid ?? 0);
    await pool[Symbol.asyncDispose]();
    await until(() => pids.every((pid) => !isThere(pid)));
    expect(pids).toHaveLength(4);
  });
});

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function logIn(name = 'log'): string {
  return join(tmpdir(), `fleet-lab-${process.pid}-${name}`);
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 20));
}
