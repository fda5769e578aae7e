import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { anthropicClient } from './clients/anthropic-client.ts';
import { chatClient } from './clients/chat-client.ts';
import { TOOLS, type Client, type Said, type Turn } from './clients/client.ts';
import { geminiClient } from './clients/gemini-client.ts';
import { responsesClient } from './clients/responses-client.ts';
import { scriptText } from './model-script.ts';
import { startModelServer, type ModelServer } from './model-server.ts';

let server: ModelServer;
const directory = mkdtempSync(join(tmpdir(), 'fleet-model-'));
beforeAll(async () => {
  server = await startModelServer();
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

const CLIENTS: readonly Client[] = [anthropicClient, chatClient, responsesClient, geminiClient];

describe.each(CLIENTS.map((client) => [client.name, client] as const))(
  'the scripted model by %s',
  (name, client) => {
    it('goes through its script step by step, streamed and in one piece', async () => {
      const input = { path: 'a "b" [c]', n: 1 };
      const prompt = `Do it. ${scriptText([
        {
          thinking: 'let me think about it',
          text: 'I will write.',
          tool: 'Write',
          input,
          usage: { input: 7, output: 5, cached: 0 },
        },
        { tools: [{ tool: 'Write', input }, { tool: 'Read' }] },
        { text: 'done, ', repeat: 300 },
      ])} That is all.`;
      for (const stream of [true, false]) {
        const turns: Turn[] = [{ user: 'earlier' }, { user: prompt }];
        const first = await say(client, turns, stream);
        expect(first).toEqual({
          thinking: 'let me think about it',
          text: 'I will write.',
          calls: [{ id: expect.any(String), name: 'Write', input }],
          usage: [7, 5],
          stop: 'call',
        });
        turns.push({ said: first }, ...results(first, 'SCRIPT:[] of a file'));
        const second = await say(client, turns, stream);
        expect(second.calls.map((call) => call.name)).toEqual(['Write', 'Read']);
        expect(new Set([...first.calls, ...second.calls].map(({ id }) => id)).size).toBe(3);
        turns.push({ said: second }, ...results(second, 'some text'));
        const third = await say(client, turns, stream);
        expect(third).toMatchObject({ text: 'done, '.repeat(300), calls: [], stop: 'end' });
        turns.push({ said: third }, { user: scriptText([{ text: 'again' }]) });
        expect((await say(client, turns, stream)).text).toBe('again');
      }
      expect(server.requests.at(-1)).toMatchObject({ wire: name, step: 0 });
    });

    it('answers a question without tools with some text, whatever script is in it', async () => {
      const body = { ...client.body([{ user: scriptText([{ tool: 'Write' }]) }], false), tools: [] };
      const answer = await ask(client.whole, body);
      expect(client.readWhole(await answer.json()).calls).toEqual([]);
      expect(server.requests.at(-1)?.step).toBeNull();
    });

    it('breaks the stream in the middle', async () => {
      const { body } = await askStream(client, { text: 'x'.repeat(100), cut: true });
      let seen = '';
      await expect(async () => {
        for await (const chunk of body) seen += chunk;
      }).rejects.toThrow();
      expect(seen).toContain('xxxx');
    });

    it('holds the stream until it is let go, and is slow when told to', async () => {
      const hold = join(directory, `${name}.hold`);
      const { body } = await askStream(client, { text: 'y'.repeat(100), hold, slow: 1 });
      let seen = '';
      for await (const chunk of body) {
        seen += chunk;
        if (seen.includes('yyy')) writeFileSync(hold, '');
      }
      expect(client.read(eventsOf(seen)).text).toBe('y'.repeat(100));
    });

    it('hangs until the client is gone', async () => {
      const { body, stop } = await askStream(client, { text: 'z'.repeat(100), hang: true });
      await expect(async () => {
        for await (const chunk of body) if (chunk.includes('zz')) stop.abort();
      }).rejects.toThrow();
    });

    it('says what is wrong with a script', async () => {
      const answer = await ask(client.path, client.body([{ user: 'SCRIPT:[{"txet": "typo"}]' }], true));
      expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('txet')]);
    });
  },
);

describe('faults of the model', () => {
  it.each([
    [anthropicClient, 'server', 500, { type: 'error', error: { type: 'api_error' } }],
    [anthropicClient, 'overloaded', 529, { error: { type: 'overloaded_error' } }],
    [anthropicClient, 'rate_limit', 429, { error: { type: 'rate_limit_error' } }],
    [anthropicClient, 'usage_limit', 429, { error: { type: 'rate_limit_error' } }],
    [
      anthropicClient,
      'credit',
      400,
      { error: { message: expect.stringContaining('credit balance is too low') } },
    ],
    [anthropicClient, 'auth', 401, { error: { type: 'authentication_error' } }],
    [chatClient, 'server', 500, { error: { type: 'server_error' } }],
    [chatClient, 'rate_limit', 429, { error: { code: 'rate_limit_exceeded' } }],
    [
      responsesClient,
      'usage_limit',
      429,
      { error: { type: 'usage_limit_reached', resets_at: 1_900_000_000 } },
    ],
    [responsesClient, 'credit', 429, { error: { code: 'insufficient_quota' } }],
    [responsesClient, 'overloaded', 503, { error: { type: 'overloaded' } }],
    [responsesClient, 'auth', 401, { error: { code: 'invalid_api_key' } }],
    [geminiClient, 'server', 500, { error: { status: 'INTERNAL' } }],
    [geminiClient, 'overloaded', 503, { error: { status: 'UNAVAILABLE' } }],
    [geminiClient, 'rate_limit', 429, { error: { status: 'RESOURCE_EXHAUSTED' } }],
    [geminiClient, 'credit', 429, { error: { status: 'RESOURCE_EXHAUSTED' } }],
    [geminiClient, 'auth', 400, { error: { status: 'INVALID_ARGUMENT' } }],
  ] as const)('by $0.name: %s is %i', async (client, error, status, body) => {
    const steps = [{ error, retry_after: 7, resets_at: 1_900_000_000 }];
    const answer = await ask(client.path, client.body([{ user: scriptText(steps) }], true));
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject(body);
    if (error === 'rate_limit' && client !== geminiClient)
      expect(answer.headers.get('retry-after')).toBe('7');
    if (error === 'usage_limit' && client === anthropicClient) {
      expect(answer.headers.get('anthropic-ratelimit-unified-status')).toBe('rejected');
      expect(answer.headers.get('anthropic-ratelimit-unified-reset')).toBe('1900000000');
    }
  });

  it('are over when the file is there', async () => {
    const fault_until = join(directory, 'over');
    const turns = [{ user: scriptText([{ text: 'at last', error: 'overloaded', fault_until }]) }];
    expect((await ask(anthropicClient.whole, anthropicClient.body(turns, false))).status).toBe(529);
    writeFileSync(fault_until, '');
    expect((await say(anthropicClient, turns, false)).text).toBe('at last');
  });
});

describe('a conversation that broke off', () => {
  it('goes on at the step after the call whose end nobody knows', async () => {
    const script = scriptText([{ tool: 'Write' }, { text: 'went on' }]);
    const messages = [
      {
        role: 'user',
        content: [
          { type: 'text', text: scriptText([{ text: 'failed before' }]) },
          { type: 'text', text: script },
        ],
      },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_s0x0xabc', name: 'Write', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_s0x0xabc', content: 'unknown' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'No response requested.' }] },
      { role: 'user', content: 'Go on.' },
      { role: 'system', content: [{ type: 'text', text: 'tokens left' }] },
    ];
    const answer = await ask('/v1/messages', { model: 'm', tools: TOOLS, messages });
    expect(await answer.json()).toMatchObject({ content: [{ text: 'went on' }] });
  });
});

describe('the scripted model as a program', () => {
  it('says where it listens, and answers there', async () => {
    const program = fileURLToPath(new URL('main.ts', import.meta.url));
    const child = spawn(process.execPath, [program, '--port', '0', '--json'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      const [line]: unknown[] = await once(createInterface({ input: child.stdout }), 'line');
      const { url, pid } = z.object({ url: z.url(), pid: z.number() }).parse(JSON.parse(String(line)));
      expect(pid).toBe(child.pid);
      expect((await fetch(`${url}/v1/models`)).status).toBe(200);
      expect((await fetch(`${url}/v1/messages/count_tokens`, { method: 'POST', body: '{}' })).status).toBe(
        200,
      );
      expect((await fetch(`${url}/elsewhere`)).status).toBe(404);
    } finally {
      child.kill();
      await once(child, 'close');
    }
  });
});

async function say(client: Client, turns: readonly Turn[], stream: boolean): Promise<Said> {
  const response = await ask(stream ? client.path : client.whole, client.body(turns, stream));
  expect(response.status).toBe(200);
  return stream ? client.read(eventsOf(await response.text())) : client.readWhole(await response.json());
}

function results({ calls }: Said, result: string): readonly Turn[] {
  return calls.map(({ id }) => ({ result, of: id }));
}

async function askStream(client: Client, step: Parameters<typeof scriptText>[0][number]) {
  const stop = new AbortController();
  const { body } = await ask(client.path, client.body([{ user: scriptText([step]) }], true), stop.signal);
  if (body === null) throw new Error('the answer has no body');
  return { body: body.pipeThrough(new TextDecoderStream()), stop };
}

function ask(
  path: string,
  body: Record<string, unknown>,
  signal: AbortSignal | null = null,
): Promise<Response> {
  return fetch(server.url + path, { method: 'POST', body: JSON.stringify(body), signal });
}

/** The data of each event. Where the type is named beside it, it must be the same. */
function eventsOf(text: string): readonly unknown[] {
  return text
    .split(/\r?\n\r?\n/)
    .filter((frame) => frame !== '' && frame !== 'data: [DONE]')
    .map((frame) => {
      const [, named, data = ''] = /^(?:event: (.*)\n)?data: (.*)$/.exec(frame) ?? [];
      const json: unknown = JSON.parse(data);
      if (named !== undefined) expect(json).toMatchObject({ type: named });
      return json;
    });
}
