import { fileURLToPath } from 'node:url';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, describe, expect, it } from 'vitest';
import { isAlive, identify } from '../../src/platform/processes/process-identity.ts';
import { isReady, poolWith, readyPool, type PoolUnderTest } from './pool-under-test.ts';
import { upstream, upstreamFile } from './upstream-place.ts';

const QUICK = { timeout: 400 };

/** Whatever is wrong with one server, the other works. */
async function besideGood(entry: object, look: (pool: PoolUnderTest) => Promise<void>): Promise<void> {
  await using pool = await poolWith(
    { bad: entry, good: upstream('plain') },
    { limits: { failures_before_backoff: 1, repeat_ms: 1 } },
  );
  await pool.until('good', isReady);
  await look(pool);
  expect(await pool.call('good__echo', { value: 'well' })).toMatchObject({ success: true });
  expect(pool.connection('good').status).toBe('ready');
}

const failed = (pool: PoolUnderTest) => pool.until('bad', ({ error }) => error !== undefined);

describe('a server that cannot be reached', () => {
  it.each([
    [
      'never answers initialize',
      upstream('silent', QUICK),
      /did not answer within 400 ms \(one that starts slowly needs a larger "timeout"/,
    ],
    ['exits at once', upstream('quits'), /exit code 3; it said: no licence found/],
    [
      'is no program',
      { command: 'no-such-program-anywhere' },
      /program "no-such-program-anywhere" of the MCP server "bad" was not found/,
    ],
    [
      'is a file that cannot be run',
      { command: fileURLToPath(import.meta.url) },
      /is not executable: chmod \+x \//,
    ],
    [
      'is to run in a directory that is not there',
      { command: process.execPath, cwd: '/no/such/directory' },
      /The directory "\/no\/such\/directory" of the MCP server "bad" does not exist\. Create it/,
    ],
    [
      'is at an address of another kind',
      { url: 'ftp://127.0.0.1/mcp' },
      /"ftp:\/\/127\.0\.0\.1\/mcp", which is not an http or https address/,
    ],
    [
      'ends without a word',
      { command: process.execPath, args: ['-e', 'process.exit(1)'] },
      /ended with exit code 1 \(run its command by hand/,
    ],
    [
      'needs longer than it is given',
      upstream('late', { args: ['60000'], ...QUICK }),
      /did not answer within 400 ms/,
    ],
    [
      'is behind an address where nobody is',
      { url: 'http://127.0.0.1:9/mcp', ...QUICK },
      /fetch failed|cannot be reached/,
    ],
  ])(
    'because it %s says so and holds up nobody [ORCH-bad-server, MCPSERVER-command]',
    async (_what, entry, problem) => {
      await besideGood(entry, async (pool) => {
        const connection = await failed(pool);
        expect(connection.error).toMatch(problem);
        expect(connection.offered).toBe(false);
        expect(pool.orchestrator.getToolDefinitions().some(({ name }) => name.startsWith('bad__'))).toBe(
          false,
        );
      });
    },
  );

  it('and is called is SERVICE_UNAVAILABLE, with the reason [ORCH-connect-timeout]', async () => {
    await using pool = await poolWith({ bad: upstream('silent', QUICK) });
    await expect(
      pool.servers.request('bad', { method: 'tools/call', params: {}, owner: 'me' }),
    ).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      details: { reason: 'MCP_CONNECTION_FAILED', server: 'bad' },
    });
  });
});

describe('a server whose program is missing', () => {
  it('is refused in whole sentences when it is called again', async () => {
    await using pool = await poolWith(
      { bad: { command: 'no-such-program-anywhere' } },
      { limits: { failures_before_backoff: 1, backoff_ms: 30_000 } },
    );
    await expect(pool.servers.wake('bad')).rejects.toMatchObject({
      details: { reason: 'MCP_CONNECTION_FAILED' },
    });
    await expect(pool.servers.wake('bad')).rejects.toMatchObject({
      message: expect.stringMatching(
        /or fix "command" of the server in fleet\.yaml\. Fleet retries in \d+ s\.$/,
      ) as string,
      details: { reason: 'AGENT_UNAVAILABLE' },
    });
  });
});

describe('a server that talks badly', () => {
  it.each([
    ['noisy', 'lab__work', 'worked'],
    ['wrong-id', 'lab__work', 'worked'],
  ])('is understood all the same: %s', async (program, tool, answer) => {
    await using pool = await readyPool(program);
    expect(await pool.call(tool)).toEqual({ success: true, data: [{ type: 'text', text: answer }] });
  });

  it('that says 10,000 times that its tools have changed is asked for them a few times', async () => {
    await using pool = await readyPool('chatty');
    await pool.call('lab__chatter');
    await pool.call('lab__chatter');
    const { data } = await pool.call('lab__listed');
    expect(Number((data as { text: string }[])[0]?.text)).toBeLessThan(10);
  });

  it('that ignores cancellation is left alone with its late answers', async () => {
    await using pool = await readyPool('deaf', { limits: { call_ms: 1_000 } });
    await expect(pool.call('lab__work')).rejects.toMatchObject({
      details: { reason: 'TOOL_EXECUTION_TIMEOUT' },
    });
    expect(await pool.call('lab__live')).toMatchObject({ success: true });
  });
});

describe('odd tools', () => {
  it('get names that every client takes, each its own, and are reported when they collide', async () => {
    await using pool = await readyPool('odd-tools');
    const names = pool.orchestrator.getToolDefinitions().map(({ name }) => name);
    expect(names).toHaveLength(9);
    expect(names.filter((name) => !/^[A-Za-z0-9_-]{1,64}$/.test(name))).toEqual([]);
    const answers = await Promise.all(names.map((name) => pool.call(name)));
    const texts = answers.map(({ data }) => (data as { text: string }[])[0]?.text);
    expect(new Set(texts).size).toBe(9);
    expect(pool.orchestrator.collisions).toEqual([
      { wanted: 'lab__twin', server: 'lab', tool: 'twin', offered_as: null },
    ]);
  });

  it('with schemas that cannot be checked are called all the same, and those that clients refuse are left out', async () => {
    await using pool = await readyPool('odd-schemas');
    const { tools, leftOut } = pool.connection('lab');
    expect(tools.map(({ name }) => name)).toEqual([
      'unknown_draft',
      'broken_reference',
      'broken_pattern',
      'huge',
    ]);
    expect(leftOut.map(({ name }) => name)).toEqual(['not_one', 'no_such_type', 'a_text', 'missing']);
    for (const { name } of pool.orchestrator.getToolDefinitions()) {
      expect(await pool.call(name, { a: 1 }), name).toMatchObject({ success: true });
    }
  });
});

describe('a server that is lost', () => {
  it('in the middle of a call ends it with a clear error, and is back for the next', async () => {
    await using pool = await readyPool('dies');
    const first = await pool.call('lab__live');
    await expect(pool.call('lab__die')).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: expect.stringMatching(
        /"lab" was lost during tools\/call: its program ended with exit code 1/,
      ) as string,
      details: { reason: 'AGENT_UNAVAILABLE', server: 'lab', correlation_id: 'c1' },
    });
    await pool.until('lab', isReady);
    const second = await pool.call('lab__live');
    expect(second.success).toBe(true);
    expect(second.data).not.toEqual(first.data);
  });

  it('because it hangs is noticed and restarted [ORCH-lost-noticed]', async () => {
    await using pool = await readyPool('hangs', { limits: { check_ms: 50, lost_ms: 1_000 } });
    const before = await pool.call('lab__who');
    await pool.call('lab__hang');
    await pool.until('lab', ({ status }) => status === 'error' || status === 'disconnected');
    await pool.until('lab', isReady);
    expect((await pool.call('lab__who')).data).not.toEqual(before.data);
  });

  it.skipIf(process.platform !== 'linux')(
    'leaves nothing behind, whatever it started (finds processes by /proc: Linux)',
    async () => {
      const pool = await readyPool('leaky');
      const { data } = await pool.call('lab__children');
      const pids = JSON.parse((data as { text: string }[])[0]?.text ?? '[]') as number[];
      const processes = pids.map((pid) => identify(pid));
      expect(processes).toHaveLength(4);
      expect(processes.every((each) => each !== undefined && isAlive(each))).toBe(true);
      await pool[Symbol.asyncDispose]();
      expect(processes.some((each) => each !== undefined && isAlive(each))).toBe(false);
    },
  );
});

const started: ChildProcess[] = [];
afterAll(() => started.forEach((child) => child.kill('SIGKILL')));

async function remote(mode: string): Promise<string> {
  const child = spawn(process.execPath, [upstreamFile('remote'), mode], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  started.push(child);
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return line;
}

describe('a server over HTTP', () => {
  it.each([
    ['redirects to another origin', 'redirect'],
    ['drops every connection', 'drop'],
    ['does not know who asks', 'unauthorized'],
    ['is a web page', 'html'],
  ])('that %s says so and holds up nobody', async (_what, mode) => {
    await besideGood({ url: await remote(mode), timeout: 2_000 }, async (pool) => {
      expect((await failed(pool)).offered).toBe(false);
    });
  });

  it.each([
    ['drops the connection', 'drop'],
    ['has too many requests', 'busy'],
    ['breaks', 'broken'],
    ['sends half an event', 'half'],
  ])('that %s in the middle of a call ends it with an error, and works on', async (_what, tool) => {
    await using pool = await poolWith({ lab: { url: await remote('good') } });
    await pool.until('lab', isReady);
    await expect(pool.call(`lab__${tool}`)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await pool.until('lab', isReady);
    expect(await pool.call('lab__work')).toMatchObject({ success: true });
  });

  it('gets the headers that are configured [ORCH-remote-server]', async () => {
    await using pool = await poolWith({
      lab: { url: await remote('good'), headers: { 'X-Lab': 'a value' } },
    });
    await pool.until('lab', isReady);
    expect(await pool.call('lab__headers')).toMatchObject({ data: [{ text: 'a value' }] });
  });
});
