import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { FleetError } from '../../domain/values/errors.ts';
import type { ModelMessage } from './model.ts';
import { openModel } from './open-model.ts';

const KEY = 'sk-a-very-secret-key';
const JSON_TYPE = { 'content-type': 'application/json' };
const never = new AbortController().signal;
const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function model(provider: 'ollama' | 'openai' | 'anthropic', url: string) {
  const settings = { provider, url, model: 'scripted', api_key_env: 'SOME_KEY', think: true };
  return openModel({ ...settings, api_key: KEY, silent_after_ms: 20_000 });
}

async function failure(of: ReturnType<typeof model>, ...messages: ModelMessage[]): Promise<FleetError> {
  try {
    const all: ModelMessage[] = [{ role: 'user', text: 'hi' }, ...messages];
    for await (const _ of of.answer({ messages: all, tools: [], window: 4_096, answer: 512 }, never));
  } catch (thrown) {
    if (thrown instanceof FleetError) return thrown;
    throw thrown;
  }
  throw new Error('it did not fail');
}

describe.each(['ollama', 'openai', 'anthropic'] as const)('a hostile server of %s', (provider) => {
  it('that repeats the key does not bring it into an error', async () => {
    const url = await serve(({ headers }, response) => {
      const sent = String(headers.authorization ?? headers['x-api-key'] ?? KEY);
      response.writeHead(401, JSON_TYPE).end(JSON.stringify({ error: { message: `wrong key: ${sent}` } }));
    });
    const error = await failure(model(provider, url));
    expect(error.message).toContain('wrong key: ');
    expect(error.message).toContain('[hidden]');
    expect(JSON.stringify(error.toBody())).not.toContain(KEY);
  });

  it('that repeats the password of its address does not bring it into an error', async () => {
    const url = await serve(({ headers }, response) => {
      response.writeHead(403, { 'content-type': 'text/plain' }).end(`no: ${String(headers.authorization)}`);
    });
    const opened = model(provider, url.replace('//', '//joe:geheimnis@'));
    expect(opened.url).toBe(url);
    const said = JSON.stringify((await failure(opened)).toBody());
    expect(said).not.toContain('geheimnis');
    expect(said).not.toContain(Buffer.from('joe:geheimnis').toString('base64'));
  });

  it('that redirects is not followed, and the error names the place', async () => {
    const url = await serve((_request, response) => {
      response.writeHead(307, { location: 'http://elsewhere.example/login' }).end();
    });
    const { message } = await failure(model(provider, url));
    expect(message).toContain('it redirects to "http://elsewhere.example/login"');
    expect(message).toContain('--url');
  });

  it('that sends an error without end is read only at its beginning', async () => {
    const url = await serve((_request, response) => {
      response.writeHead(500, { 'content-type': 'text/plain' });
      const more = (): void => {
        while (!response.destroyed && response.write('never '.repeat(1_000)));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });
    const { message } = await failure(model(provider, url));
    expect(message).toContain('failed to answer (status 500): "never never');
  });

  it('is sent JSON that every parser takes: no half characters, no broken arguments', async () => {
    const bodies: string[] = [];
    const url = await serve(async (request, response) => {
      bodies.push(await text(request));
      response.writeHead(400, JSON_TYPE).end('{"error":"enough"}');
    });
    await failure(
      model(provider, url),
      { role: 'assistant', text: 'cut \ud83d', calls: [{ id: 'a', tool: 'look', arguments: '{"broken' }] },
      { role: 'tool', call_id: 'a', tool: 'look', text: '\ude00 cut', failed: true },
    );
    expect(bodies[0]).not.toMatch(/\\ud[89a-f]/i);
    expect(bodies[0]).not.toContain('broken');
    expect(bodies[0]).toContain('look');
  });
});

it('a model of OpenAI that refuses max_tokens gets max_completion_tokens, from then on at once', async () => {
  const limits: unknown[] = [];
  const url = await serve(async (request, response) => {
    const { max_tokens, max_completion_tokens } = JSON.parse(await text(request)) as Record<string, unknown>;
    limits.push([max_tokens, max_completion_tokens]);
    if (max_tokens !== undefined) {
      const message =
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
      response.writeHead(400, JSON_TYPE).end(JSON.stringify({ error: { message, param: 'max_tokens' } }));
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const choice = { index: 0, delta: { content: 'Hello' }, finish_reason: 'stop' };
    response.end(`data: ${JSON.stringify({ choices: [choice] })}\n\ndata: [DONE]\n\n`);
  });
  const opened = model('openai', url);
  const request = {
    messages: [{ role: 'user', text: 'hi' }],
    tools: [],
    window: 4_096,
    answer: 512,
  } as const;
  for (const _ of [1, 2]) {
    const events: unknown[] = [];
    for await (const event of opened.answer(request, never)) events.push(event);
    expect(events).toContainEqual({ type: 'text', text: 'Hello' });
  }
  expect(limits).toEqual([
    [512, undefined],
    [undefined, 512],
    [undefined, 512],
  ]);
});
