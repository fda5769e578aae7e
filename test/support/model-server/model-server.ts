import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { anthropicMessages } from './anthropic-messages.ts';
import { geminiGenerate } from './gemini-generate.ts';
import { nextStep, sayStep, type Step, type Steps } from './model-script.ts';
import { answerOllama, refusedByOllama } from './ollama-beside.ts';
import { ollamaChat } from './ollama-chat.ts';
import { ollamaPull, type Pull } from './ollama-pull.ts';
import { openaiChat } from './openai-chat.ts';
import { openaiResponses } from './openai-responses.ts';
import type { Reply, Wire } from './wire.ts';

const WIRES: readonly Wire[] = [anthropicMessages, ollamaChat, openaiChat, openaiResponses, geminiGenerate];
const LOOK_MS = 20;

/** A request for a message of the model. */
export interface SeenRequest {
  readonly wire: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
  /** The step of the script that was answered; null for a question beside the conversation. */
  readonly step: number | null;
}

export interface ModelServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly requests: readonly SeenRequest[];
  /** Downloads that Ollama was asked for. */
  readonly pulls: readonly Pull[];
}

/** A model on loopback that says what the prompt's own script tells it to, by the wires that coding agents use. The steps
 *  are for messages without a script. */
export async function startModelServer(port = 0, steps?: Steps): Promise<ModelServer> {
  const requests: SeenRequest[] = [];
  const pulls: Pull[] = [];
  const server = createServer((request, response) => {
    answer({ request, response, steps, pulls }, (seen) => requests.push(seen)).catch((thrown: unknown) => {
      if (response.headersSent) return response.destroy();
      // Told to the agent as well: a script that is wrong shall not look like a slow model.
      response.writeHead(400, JSON_TYPE).end(JSON.stringify({ error: { message: String(thrown) } }));
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    requests,
    pulls,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const JSON_TYPE = { 'content-type': 'application/json' };

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly steps: Steps | undefined;
  readonly pulls: Pull[];
}

async function answer(
  { request, response, steps, pulls }: Exchange,
  onRequest: (seen: SeenRequest) => void,
): Promise<void> {
  const { pathname: path } = new URL(request.url ?? '/', 'http://model');
  const content = await text(request);
  const wire = WIRES.find((each) => each.path.test(path));
  if (path.endsWith('/api/pull')) return ollamaPull(content, response, pulls);
  if (request.method !== 'POST' || wire === undefined)
    return answerBeside(response, answerOllama(path, content, pulls), path);
  const body: unknown = JSON.parse(content);
  const refusal = wire === ollamaChat ? refusedByOllama(content, pulls) : undefined;
  if (refusal !== undefined) return answerBeside(response, refusal, path);
  const scripted = wire.hasTools(body) ? nextStep(wire.turns(body), steps) : undefined;
  const { step, index } = scripted ?? { step: sayStep('A title'), index: 0 };
  onRequest({ wire: wire.name, path, headers: request.headers, body, step: scripted?.index ?? null });
  const reply: Reply = { step, index, model: wire.modelOf(body, path) };
  if (step.error !== undefined && faultHolds(step)) {
    const failure = wire.failure(step.error, step);
    response
      .writeHead(failure.status, { ...JSON_TYPE, ...failure.headers })
      .end(JSON.stringify(failure.body));
  } else if (wire.isStreamed(body, path)) {
    await stream(response, wire, reply);
  } else {
    response.writeHead(200, JSON_TYPE).end(JSON.stringify(wire.whole(reply)));
  }
}

function answerBeside(response: ServerResponse, ollama: ReturnType<typeof answerOllama>, path: string): void {
  if (ollama !== undefined) response.writeHead(ollama.status, JSON_TYPE).end(JSON.stringify(ollama.body));
  else if (path.endsWith('/models'))
    response.writeHead(200, JSON_TYPE).end('{"object":"list","data":[],"models":[]}');
  else if (/count_?tokens$/i.test(path))
    response.writeHead(200, JSON_TYPE).end('{"input_tokens":100,"totalTokens":100}');
  else response.writeHead(404, JSON_TYPE).end('{"error":{"type":"not_found_error","message":"not here"}}');
}

async function stream(response: ServerResponse, wire: Wire, reply: Reply): Promise<void> {
  const { step } = reply;
  const frames = wire.frames(reply);
  const type = wire.contentType ?? 'text/event-stream';
  response.writeHead(200, { 'content-type': type, 'cache-control': 'no-cache' });
  response.flushHeaders();
  const gone = once(response, 'close');
  const middle = Math.ceil(frames.length / 2);
  for (const [at, frame] of frames.entries()) {
    if (response.destroyed) return;
    if (at === middle) await pauseInTheMiddle(response, step, gone);
    if (response.destroyed) return;
    // What is sent before a break shall arrive.
    await new Promise<void>((resolve) => response.write(frame, () => resolve()));
    if (step.slow !== undefined) await Promise.race([delay(step.slow), gone]);
  }
  response.end();
}

async function pauseInTheMiddle(response: ServerResponse, step: Step, gone: Promise<unknown>): Promise<void> {
  if (step.cut && faultHolds(step)) {
    await delay(LOOK_MS);
    response.destroy();
  }
  if (step.hang && faultHolds(step)) await gone;
  while (step.hold !== undefined && !existsSync(step.hold) && !response.destroyed) await delay(LOOK_MS);
}

function faultHolds({ fault_until }: Step): boolean {
  return fault_until === undefined || !existsSync(fault_until);
}
