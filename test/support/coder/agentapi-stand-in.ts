import { existsSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

interface Said {
  readonly id: number;
  readonly role: 'agent' | 'user';
  content: string;
  time: string;
}

/** What goes wrong with the next message: the answer is lost, or the message, or it stays in the agent's input. */
export type Mishap = 'answer-lost' | 'message-lost' | 'not-submitted';

/** AgentAPI before an agent in a terminal that knows two words: `say TEXT`, and `hold FILE`, until ESC or the file. */
export class AgentApiStandIn {
  readonly said: Said[] = [];
  /** Raw keys that came. */
  readonly keys: string[] = [];
  /** Messages that came, also those that were not taken. */
  readonly came: string[] = [];
  mishaps: Mishap[] = [];
  #working = false;
  #escaped = false;
  readonly #server: Server;

  constructor(port: number, prompt: string) {
    this.#say('agent', '> ');
    if (prompt !== '') void this.#take(prompt, false);
    this.#server = createServer((request, response) => {
      void this.#answer(request, response);
    }).listen(port, '127.0.0.1');
  }

  /** What somebody types in the agent's own page. */
  type(content: string): void {
    void this.#take(content, true);
  }

  end(): void {
    this.#escaped = true;
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url === '/status')
      return send(response, 200, { status: this.#working ? 'running' : 'stable', agent_type: 'custom' });
    if (request.url === '/messages') return send(response, 200, { messages: this.said });
    const { content, type } = JSON.parse(await bodyOf(request)) as { content: string; type: string };
    if (type === 'raw') {
      this.keys.push(content);
      if (content === '\u001b') this.#escaped = true;
      return send(response, 200, { ok: true });
    }
    this.came.push(content);
    if (this.#working)
      return problem(response, 'message can only be sent when the agent is waiting for user input');
    const mishap = this.mishaps.shift();
    if (mishap === 'message-lost') return void response.destroy();
    if (mishap === 'not-submitted') {
      const screen = this.said.findLast(({ role }) => role === 'agent');
      if (screen !== undefined) screen.content += content;
      return problem(response, 'failed to wait for the screen to change');
    }
    void this.#take(content, true);
    if (mishap === 'answer-lost') return void response.destroy();
    send(response, 200, { ok: true });
  }

  async #take(content: string, shown: boolean): Promise<void> {
    this.#working = true;
    this.#escaped = false;
    if (shown) this.#say('user', content.trim());
    const [word = '', ...rest] = content.trim().split(' ');
    if (word === 'hold') while (!this.#escaped && !existsSync(rest.join(' '))) await delay(10);
    this.#say('agent', word === 'say' ? `${rest.join(' ')}     \n>      ` : '>     ');
    this.#working = false;
  }

  #say(role: Said['role'], content: string): void {
    this.said.push({ id: this.said.length, role, content, time: new Date().toISOString() });
  }
}

function problem(response: ServerResponse, message: string): void {
  const errors = [{ message: `failed to send message: ${message}` }];
  const body = { title: 'Internal Server Error', status: 500, detail: 'unexpected error occurred', errors };
  send(response, 500, body, 'application/problem+json');
}

function send(response: ServerResponse, status: number, body: object, type = 'application/json'): void {
  response.writeHead(status, { 'content-type': type });
  response.end(JSON.stringify({ $schema: '', ...body }));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
