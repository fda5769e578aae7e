import { spawn } from 'node:child_process';
import { HttpWire } from './http-wire.ts';

/** A way to call the echo tool. */
export interface Caller extends Disposable {
  /** Rejects unless the answer has the value. */
  call(value: string): Promise<void>;
}

const CALL = (id: number, name: string, value: string, meta?: object): string =>
  JSON.stringify({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name, arguments: { value }, ...(meta === undefined ? {} : { _meta: meta }) },
  });
const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
});
const INITIALIZED = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });
const MODERN = '2026-07-28';
const MODERN_META = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

export interface HttpPlace {
  readonly port: number;
  readonly tool: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The server itself, by its own stdin and stdout. */
export async function directCaller(command: readonly string[]): Promise<Caller> {
  const [file = '', ...args] = command;
  const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Waiting();
  let held = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (held + chunk).split('\n');
    held = lines.pop() ?? '';
    for (const line of lines) waiting.settle(line);
  });
  const say = (line: string): unknown => child.stdin.write(`${line}\n`);
  const greeted = waiting.enter(0, 'protocolVersion');
  say(INITIALIZE);
  await greeted;
  say(INITIALIZED);
  return {
    call: (value) => {
      const answered = waiting.enter(waiting.next(), value);
      say(CALL(waiting.last, 'echo', value));
      return answered;
    },
    [Symbol.dispose]: () => void child.kill(),
  };
}

/** Streamable HTTP in a session of the old era; `wires` connections, each with one call at a time. */
export async function sessionCaller(place: HttpPlace, wires: number): Promise<Caller> {
  const { port, tool, path = '/mcp', headers = {} } = place;
  const first = await HttpWire.open(port);
  const { headers: said } = await first.post(path, headers, INITIALIZE);
  const session = { ...headers, 'Mcp-Session-Id': said.get('mcp-session-id') ?? '' };
  await first.post(path, session, INITIALIZED);
  return pooled(first, { port, wires }, (wire, id, value) =>
    wire.post(path, { ...session, 'MCP-Protocol-Version': '2025-11-25' }, CALL(id, tool, value)),
  );
}

/** Streamable HTTP of the new era, without a session. */
export async function modernCaller(place: HttpPlace, wires: number): Promise<Caller> {
  const { port, tool, path = '/mcp', headers = {} } = place;
  const own = { ...headers, 'MCP-Protocol-Version': MODERN, 'Mcp-Method': 'tools/call', 'Mcp-Name': tool };
  return pooled(await HttpWire.open(port), { port, wires }, (wire, id, value) =>
    wire.post(path, own, CALL(id, tool, value, MODERN_META)),
  );
}

/** The old form: calls are posted, and answered on a stream of events. */
export async function eventsCaller(place: HttpPlace, wires: number): Promise<Caller> {
  const { port, tool, path = '/mcp' } = place;
  const waiting = new Waiting();
  const events = await HttpWire.open(port);
  const endpoint = Promise.withResolvers<string>();
  let held = '';
  events.onPiece = (text) => {
    const lines = (held + text).split('\n');
    held = lines.pop() ?? '';
    for (const line of lines) {
      if (line.startsWith('HTTP/1.1 ') && !line.includes(' 200 ')) endpoint.reject(new Error(line.trim()));
      if (line.startsWith('data: /')) endpoint.resolve(line.slice(6).trim());
      else if (line.startsWith('data: {')) waiting.settle(line.slice(6));
    }
  };
  events.listen(path);
  const to = await endpoint.promise;
  const first = await HttpWire.open(port);
  const greeted = waiting.enter(0, 'protocolVersion');
  await first.post(to, {}, INITIALIZE);
  await greeted;
  await first.post(to, {}, INITIALIZED);
  const free = [first, ...(await more(port, wires - 1))];
  const all = [...free, events];
  return {
    call: async (value) => {
      const wire = free.pop();
      if (wire === undefined) throw new Error('too many calls at once');
      const answered = waiting.enter(waiting.next(), value);
      await wire.post(to, {}, CALL(waiting.last, tool, value));
      free.push(wire);
      return answered;
    },
    [Symbol.dispose]: () => all.forEach((wire) => wire[Symbol.dispose]()),
  };
}

async function pooled(
  first: HttpWire,
  { port, wires }: { readonly port: number; readonly wires: number },
  post: (wire: HttpWire, id: number, value: string) => Promise<{ readonly body: string }>,
): Promise<Caller> {
  const free = [first, ...(await more(port, wires - 1))];
  const all = [...free];
  let id = 1;
  return {
    call: async (value) => {
      const wire = free.pop();
      if (wire === undefined) throw new Error('too many calls at once');
      const { body } = await post(wire, id++, value);
      free.push(wire);
      if (!body.includes(value)) throw new Error(`the answer is not the value: ${body.slice(0, 500)}`);
    },
    [Symbol.dispose]: () => all.forEach((wire) => wire[Symbol.dispose]()),
  };
}

function more(port: number, count: number): Promise<HttpWire[]> {
  return Promise.all(Array.from({ length: count }, () => HttpWire.open(port)));
}

/** Calls that wait for their answers, by their ids. */
class Waiting {
  readonly #waiting = new Map<number, PromiseWithResolvers<void> & { readonly value: string }>();
  last = 0;

  next(): number {
    return (this.last += 1);
  }

  enter(id: number, value: string): Promise<void> {
    const entered = Promise.withResolvers<void>();
    this.#waiting.set(id, { ...entered, value });
    return entered.promise;
  }

  settle(line: string): void {
    const { id } = JSON.parse(line) as { id?: number };
    const waiting = id === undefined ? undefined : this.#waiting.get(id);
    if (id === undefined || waiting === undefined) return;
    this.#waiting.delete(id);
    if (line.includes(waiting.value)) waiting.resolve();
    else waiting.reject(new Error(`the answer is not the value: ${line.slice(0, 500)}`));
  }
}
