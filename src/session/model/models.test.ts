import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { SessionProvider } from '../../config/model/session-schema.ts';
import { FleetError } from '../../domain/values/errors.ts';
import { scriptText } from '../../../test/support/model-server/model-script.ts';
import { startModelServer } from '../../../test/support/model-server/model-server.ts';
import type { ModelEvent, ModelMessage, ModelRequest } from './model.ts';
import { openModel } from './open-model.ts';

const never = new AbortController().signal;
const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each[Symbol.asyncDispose]();
});

const TOOLS = [{ name: 'look', description: 'Looks', parameters: { type: 'object', properties: {} } }];
const PATHS: Readonly<Record<SessionProvider, string>> = { ollama: '', openai: '/v1', anthropic: '' };
const STREAMS: Readonly<Record<SessionProvider, { readonly type: string; readonly begin: string }>> = {
  ollama: {
    type: 'application/x-ndjson',
    begin: '{"message":{"role":"assistant","content":"Hel"},"done":false}\n',
  },
  openai: { type: 'text/event-stream', begin: 'data: {"choices":[{"delta":{"content":"Hel"}}]}\n\n' },
  anthropic: {
    type: 'text/event-stream',
    begin:
      'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hel"}}\n\n',
  },
};

function model(
  provider: SessionProvider,
  origin: string,
  over: { silent_after_ms?: number; model?: string } = {},
) {
  return openModel({
    provider,
    url: origin + PATHS[provider],
    model: 'scripted',
    api_key: 'secret-key',
    api_key_env: 'SOME_KEY',
    think: true,
    silent_after_ms: 20_000,
    ...over,
  });
}

function request(...messages: readonly ModelMessage[]): ModelRequest {
  return {
    messages: [{ role: 'system', text: 'Be brief.' }, ...messages],
    tools: TOOLS,
    window: 4_096,
    answer: 512,
  };
}

const user = (text: string): ModelMessage => ({ role: 'user', text });

async function all<Value>(values: AsyncIterable<Value> | undefined): Promise<Value[]> {
  const found: Value[] = [];
  for await (const value of values ?? []) found.push(value);
  return found;
}

async function failed(work: Promise<unknown>): Promise<FleetError> {
  const thrown: unknown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (thrown instanceof FleetError) return thrown;
  throw new Error(`not a FleetError: ${String(thrown)}`);
}

/** A server that answers every request by hand. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  opened.push({
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function scripted() {
  const server = await startModelServer();
  opened.push(server);
  return server;
}

describe.each(['ollama', 'openai', 'anthropic'] as const)('a model of %s', (provider) => {
  const { type, begin } = STREAMS[provider];

  it('is found by its checks', async () => {
    const { url } = await scripted();
    expect(await model(provider, url).check(never)).toMatchObject({
      name: expect.stringMatching(/^scripted/) as string,
      tools: true,
    });
  });

  it('streams text and thinking, then its calls and the counted tokens', async () => {
    const { url } = await scripted();
    const step = {
      thinking: 'Let me see.',
      text: 'I will look.',
      tools: [{ tool: 'look', input: { at: 'a' } }],
    };
    const events = await all(model(provider, url).answer(request(user(scriptText([step]))), never));
    const joined = (kind: 'text' | 'thinking') =>
      events.flatMap((event) => (event.type === kind ? [event.text] : [])).join('');
    expect(joined('thinking')).toBe('Let me see.');
    expect(joined('text')).toBe('I will look.');
    const calls = events.flatMap((event) => (event.type === 'call' ? [event.call] : []));
    expect(calls).toMatchObject([{ tool: 'look', id: expect.any(String) as string }]);
    const [{ arguments: args } = { arguments: undefined }] = calls;
    expect(typeof args === 'string' ? JSON.parse(args) : args).toEqual({ at: 'a' });
    expect(events.at(-1)).toEqual({ type: 'end', reason: 'stop', usage: { prompt: 110, answer: 42 } });
  });

  it('is sent calls and their results', async () => {
    const { url, requests } = await scripted();
    const events = await all(
      model(provider, url).answer(
        request(
          user(scriptText([{ tool: 'look' }, { text: 'Seen.' }])),
          { role: 'assistant', text: '', calls: [{ id: 'call_1', tool: 'look', arguments: { at: 'b' } }] },
          { role: 'tool', call_id: 'call_1', tool: 'look', text: 'a lighthouse', failed: false },
        ),
        never,
      ),
    );
    expect(events).toContainEqual({ type: 'text', text: 'Seen.' });
    const sent = JSON.stringify(requests.at(-1)?.body);
    expect(sent).toContain('a lighthouse');
    expect(sent).toContain('Be brief.');
    expect(sent).toContain('Looks');
  });

  it('is not reachable where nothing listens', async () => {
    const { code, message, details } = await failed(model(provider, 'http://127.0.0.1:1').check(never));
    expect({ code, reason: details.reason }).toEqual({
      code: 'SERVICE_UNAVAILABLE',
      reason: 'OLLAMA_UNAVAILABLE',
    });
    expect(message).toContain('http://127.0.0.1:1');
  });

  it('refuses a page of another server', async () => {
    const origin = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Welcome</html>');
    });
    const { message, details } = await failed(
      all(model(provider, origin).answer(request(user('hi')), never)),
    );
    expect(details.reason).toBe('INVALID_RESPONSE');
    expect(message).toContain('text/html');
  });

  it('notices half a line of JSON', async () => {
    const origin = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': type }).end(`${begin}${begin.slice(0, -12)}`);
    });
    const { details } = await failed(all(model(provider, origin).answer(request(user('hi')), never)));
    expect(details.reason).toBe('INVALID_RESPONSE');
  });

  it('notices a stream that ends too early', async () => {
    const origin = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': type }).end(begin);
    });
    const { message, details } = await failed(
      all(model(provider, origin).answer(request(user('hi')), never)),
    );
    expect(details.reason).toBe('INVALID_RESPONSE');
    expect(message).toContain('ended before it was complete');
  });

  it('notices a server that dies in mid-stream', async () => {
    const origin = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': type });
      response.write(begin, () => setImmediate(() => response.destroy()));
    });
    const seen: ModelEvent[] = [];
    const reading = (async () => {
      for await (const event of model(provider, origin).answer(request(user('hi')), never)) seen.push(event);
    })();
    const { message, details } = await failed(reading);
    expect(details.reason).toBe('INVALID_RESPONSE');
    expect(message).toContain('the connection broke');
    expect(seen).toEqual([{ type: 'text', text: 'Hel' }]);
  });

  it('gives up on a server that sends nothing', async () => {
    const origin = await serve(() => {});
    const silent = model(provider, origin, { silent_after_ms: 100 });
    const { message, details } = await failed(all(silent.answer(request(user('hi')), never)));
    expect(details.reason).toBe('NETWORK_TIMEOUT');
    expect(message).toContain('sent nothing for');
  });

  it('can be stopped before the headers, and the server notices', async () => {
    const gone = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const origin = await serve((_request, response) => {
      response.once('close', () => gone.resolve());
      asked.resolve();
    });
    const stop = new AbortController();
    const reading = all(model(provider, origin).answer(request(user('hi')), stop.signal));
    await asked.promise;
    stop.abort();
    await expect(reading).rejects.toThrow(/abort/i);
    await gone.promise;
  });

  it('says why its server refused, and never the key', async () => {
    const origin = await serve((_request, response) => {
      const body =
        provider === 'ollama' ? { error: 'no room' } : { error: { message: 'no room', type: 'x' } };
      response.writeHead(401, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    const error = await failed(all(model(provider, origin).answer(request(user('hi')), never)));
    expect(error.details.reason).toBe('model_refused');
    expect(error.message).toContain('(status 401): no room.');
    expect(error.message).toContain('SOME_KEY');
    expect(JSON.stringify(error.toBody())).not.toContain('secret-key');
  });
});

describe('a model of Ollama', () => {
  it('that is not there is named beside those that are', async () => {
    const { url } = await scripted();
    const { message, details } = await failed(model('ollama', url, { model: 'nope' }).check(never));
    expect(details).toMatchObject({
      reason: 'MODEL_NOT_FOUND',
      models: ['scripted:latest', 'talker:latest'],
    });
    expect(message).toContain('ollama pull nope');
  });

  it('is known with the memory of the models that are loaded', async () => {
    const { url } = await scripted();
    const { bytes, loaded } = await model('ollama', url).check(never);
    expect({ bytes, loaded }).toEqual({ bytes: 1_000_000, loaded: { main: 1_000_000, graphics: 500_000 } });
  });

  it('is sent the size of its context', async () => {
    const { url, requests } = await scripted();
    await all(model('ollama', url).answer(request(user('hi')), never));
    expect(requests.at(-1)?.body).toMatchObject({ options: { num_ctx: 4_096, num_predict: 512 } });
  });

  it('that cannot call tools says so before anything is sent', async () => {
    const { url, requests } = await scripted();
    expect(await model('ollama', url, { model: 'talker' }).check(never)).toMatchObject({ tools: false });
    expect(requests).toEqual([]);
  });

  it('is downloaded with progress', async () => {
    const lines = [
      { status: 'pulling manifest' },
      { status: 'pulling abc', digest: 'abc', total: 100, completed: 40 },
      { status: 'success' },
    ];
    const origin = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      response.end(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    });
    expect(await all(model('ollama', origin).pull?.(never))).toEqual([
      { status: 'pulling manifest', total: null, completed: null },
      { status: 'pulling abc', total: 100, completed: 40 },
      { status: 'success', total: null, completed: null },
    ]);
  });

  it('fails to download with the words of the server', async () => {
    const origin = await serve((_request, response) => {
      response
        .writeHead(200, { 'content-type': 'application/x-ndjson' })
        .end('{"error":"file does not exist"}\n');
    });
    const { message } = await failed(all(model('ollama', origin).pull?.(never)));
    expect(message).toContain('file does not exist');
  });
});
