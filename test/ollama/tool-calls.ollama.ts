import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runFleet } from '../support/fleets/fleet-process.ts';
import { askAs, idleAgent } from '../support/fleets/fleet-under-test.ts';
import { localFleet, type LocalFleet } from '../support/fleets/local-fleet.ts';
import { builtOllama } from './ollama-cache.ts';
import { startOllama, type Ollama } from './ollama.ts';

/** The one call that the model is made to make. */
const CALL = {
  type: 'object',
  properties: {
    name: { type: 'string', enum: ['call_tool'] },
    arguments: {
      type: 'object',
      properties: {
        name: { type: 'string', enum: ['show_agent'] },
        arguments: {
          type: 'object',
          properties: { agent_name: { type: 'string', enum: ['sony'] } },
          required: ['agent_name'],
        },
      },
      required: ['name', 'arguments'],
    },
  },
  required: ['name', 'arguments'],
};

const ANSWER = { type: 'string', enum: ['sony is idle'] };

describe.skipIf(builtOllama() === undefined)('a real Ollama whose model calls a tool', () => {
  let ollama: Ollama;
  let forcing: Forcing;
  let fleet: LocalFleet;
  beforeAll(async () => {
    ollama = await startOllama();
    forcing = await startForcing(ollama.url);
    fleet = localFleet((config) => Object.assign(config, { session: { silent_after_seconds: 300 } }));
    await idleAgent(askAs(fleet.fleet), 'sony');
  });
  afterAll(async () => {
    await forcing[Symbol.asyncDispose]();
    await ollama[Symbol.asyncDispose]();
    await fleet[Symbol.asyncDispose]();
  });

  it('gets the result of the call, and answers', async () => {
    const env = { ...fleet.env, OLLAMA_HOST: forcing.url };
    const { code, stdout, stderr } = await runFleet(['ask', '--json', '--model', 'caller', 'Is sony idle?'], {
      env,
    });
    expect(code, stdout + stderr).toBe(0);
    const { calls, rounds, answer } = JSON.parse(stdout) as Record<string, unknown>;
    expect({ calls, rounds }).toMatchObject({
      calls: [
        {
          tool: 'call_tool',
          failed: false,
          arguments: { name: 'show_agent', arguments: { agent_name: 'sony' } },
        },
      ],
      rounds: 1,
    });
    expect(String(answer).trim()).toBe('"sony is idle"');
    const [asked, answered] = forcing.bodies;
    expect(asked).toContain('"call_tool"');
    expect(answered).toContain('"role":"tool"');
    expect(answered).toContain('sony');
  }, 300_000);
});

interface Forcing extends AsyncDisposable {
  readonly url: string;
  /** Of the requests for a message, as they were sent. */
  readonly bodies: readonly string[];
}

/** In front of Ollama: a model of random weights calls nothing, so its answers are forced into a shape. */
async function startForcing(ollama: string): Promise<Forcing> {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      let body = await text(request);
      if (request.url === '/api/chat') {
        bodies.push(body);
        const format = body.includes('"role":"tool"') ? ANSWER : CALL;
        body = JSON.stringify({ ...(JSON.parse(body) as object), format });
      }
      const answer = await fetch(ollama + (request.url ?? '/'), {
        method: request.method ?? 'GET',
        ...(body === '' ? {} : { body }),
      });
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
      if (answer.body === null) response.end();
      else await pipeline(answer.body, response);
    })().catch(() => response.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
