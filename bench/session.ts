import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { builtEdition } from './editions.ts';
import { fillStore } from './fill-store.ts';
import { alternate, megabytes, milliseconds, ratioRow, skippedRow, type Row } from './measure.ts';
import { proportionalKilobytes } from './proportional-kilobytes.ts';
import type { Stage } from './stage.ts';

const ROUNDS = 15;
const START_LIMIT = 4;
const TOKEN_LIMIT_MS = 30;
const MEMORY_ROUNDS = 5;
const SETTLE_MS = 1000;

/** The session: how soon a new process asks the model, and what it adds to the first token of the model. */
export async function session(stage: Stage): Promise<readonly Row[]> {
  const place = stage.place('session');
  fillStore(place, { agents: 10, journals: 10, repository: stage.repository });
  const built = await builtEdition(stage);
  await using model = await startModel();
  const env = { ...place.env, OLLAMA_HOST: model.url };
  const node = async (): Promise<number> =>
    (await stage.timer.run({ file: process.execPath, args: ['-e', '0'], cwd: place.cwd, env })).ms;
  /** From the start of the process to its first request, to its request for an answer, and to the first word. */
  const ask = async (): Promise<Figures> => {
    model.reset();
    const began = performance.now();
    const child = spawn(process.execPath, [built.launcher, 'ask', '--quiet', 'hello'], {
      cwd: place.cwd,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'close');
    await once(child.stdout, 'data');
    const word = performance.now();
    await ended;
    const { first, asked } = model.seen();
    return { first: first - began, asked: asked - began, added: word - asked };
  };
  const last = { first: 0, asked: 0, added: 0 };
  const figures = await alternate(
    { rounds: ROUNDS, warmups: 2 },
    {
      node,
      first: async () => {
        Object.assign(last, await ask());
        return last.first;
      },
    },
  );
  const added = await alternate(
    { rounds: ROUNDS },
    { ours: async () => (await ask()).added, bare: model.bare },
  );
  const over = added.ours.median - added.bare.median;
  return [
    ratioRow(
      {
        measure: '`fleet ask`, new process, to its first request',
        peer: '`node -e 0`',
        how: `from the start of the process to the first request at the model server, built, ${ROUNDS} rounds; the code cache is warm`,
      },
      { ours: figures.first.median, peer: figures.node.median },
      START_LIMIT,
    ),
    {
      measure: 'first word of `fleet ask` after its request for an answer',
      ours: milliseconds(added.ours.median),
      peer: `the same request by fetch, ${milliseconds(added.bare.median)}`,
      ratio: null,
      target: `at most ${TOKEN_LIMIT_MS} ms more`,
      met: over <= TOKEN_LIMIT_MS,
      how: `a model server that answers at once; from the request for an answer to the first word on stdout, median of ${ROUNDS}`,
    },
    await memoryRow({ file: process.execPath, chat: built.launcher, cwd: place.cwd, env }),
  ];
}

interface Waiting {
  readonly file: string;
  readonly chat: string;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

const BARE_CHAT = `for await (const line of require('node:readline').createInterface({ input: process.stdin })) console.log(line)`;

/** What a conversation costs that waits for its user. */
async function memoryRow({ file, chat, cwd, env }: Waiting): Promise<Row> {
  const measure = 'memory of `fleet chat` after an answer';
  if (process.platform !== 'linux') return skippedRow(measure, 'needs /proc/PID/smaps_rollup of Linux');
  const memoryOf = async (args: readonly string[]): Promise<number> => {
    const child = spawn(file, args, { cwd, env, stdio: ['pipe', 'pipe', 'ignore'] });
    child.stdin.write('hello\n');
    await once(child.stdout, 'data');
    await delay(SETTLE_MS);
    const taken = proportionalKilobytes(child.pid ?? 0);
    const ended = once(child, 'close');
    child.stdin.end();
    await ended;
    return taken;
  };
  const { ours, bare } = await alternate(
    { rounds: MEMORY_ROUNDS },
    {
      ours: () => memoryOf([chat, 'chat']),
      bare: () => memoryOf(['-e', `(async () => { ${BARE_CHAT} })()`]),
    },
  );
  return {
    measure,
    ours: megabytes(ours.median),
    peer: `bare Node that repeats lines: ${megabytes(bare.median)}`,
    ratio: ours.median / bare.median,
    target: null,
    met: null,
    how: `PSS of the process, built, ${SETTLE_MS} ms after the first answer of a model server that answers at once, with all tools of the fleet; median of ${MEMORY_ROUNDS}`,
  };
}

interface Figures {
  readonly first: number;
  readonly asked: number;
  readonly added: number;
}

/** An Ollama that answers at once. */
async function startModel() {
  let first = 0;
  let asked = 0;
  const json = (response: ServerResponse, value: object): unknown =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  const server = createServer((request, response) => {
    first ||= performance.now();
    if (request.url !== '/api/chat') {
      request.resume();
      return json(response, { models: [{ name: 'bench:latest' }], capabilities: ['tools'], model_info: {} });
    }
    asked = performance.now();
    request.resume();
    return response
      .writeHead(200, { 'content-type': 'application/x-ndjson' })
      .end('{"message":{"content":"Hello.\\n"},"done":false}\n{"message":{"content":""},"done":true}\n');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    reset: () => (first = asked = 0),
    seen: () => ({ first, asked }),
    bare: async (): Promise<number> => {
      const response = await fetch(`${url}/api/chat`, { method: 'POST', body: '{}' });
      for await (const _chunk of response.body ?? []) return performance.now() - asked;
      return performance.now() - asked;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
