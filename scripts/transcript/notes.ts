import type { Client } from '@modelcontextprotocol/client';
import { setTimeout as delay } from 'node:timers/promises';

type Json = Readonly<Record<string, unknown>>;

const LINE_WIDTH = 110;
const LOOK_EVERY_MS = 50;
const LOOK_FOR_MS = 30_000;

/** What was asked and answered, with all that differs between two runs replaced. */
export class Notes {
  readonly #parts: string[] = [];
  #headings = 0;

  heading(text: string): void {
    this.#headings += 1;
    this.say(`## ${this.#headings}. ${text}`);
  }

  say(text: string): void {
    this.#parts.push(text);
  }

  /** Calls a tool and notes the fields of its answer that are named by paths, such as `agents[].name`. */
  async call(client: Client, name: string, input: Json, fields: readonly string[]): Promise<void> {
    const result = await client.callTool({ name, arguments: { ...input } });
    const answer = result.isError === true ? errorOf(result.content) : pick(result.structuredContent, fields);
    this.#asked(name, input);
    this.say(`\`\`\`json\n${shortJson(answer)}\n\`\`\``);
  }

  /** A call that gets no answer, because nobody is there. */
  async failingCall(client: Client, name: string, input: Json): Promise<void> {
    const answered = await client.callTool({ name, arguments: { ...input } }).then(
      () => true,
      () => false,
    );
    if (answered) throw new Error(`${name} was answered by a server that should be dead`);
    this.#asked(name, input);
    this.say('No answer: the server is no longer running.');
  }

  /** Calls a tool until its answer says what is waited for; none of it is noted. */
  async until(client: Client, name: string, input: Json, holds: (answer: unknown) => boolean): Promise<void> {
    const end = performance.now() + LOOK_FOR_MS;
    while (performance.now() < end) {
      const { structuredContent } = await client.callTool({ name, arguments: { ...input } });
      if (holds(structuredContent)) return;
      await delay(LOOK_EVERY_MS);
    }
    throw new Error(`${name} ${JSON.stringify(input)} never answered what was waited for`);
  }

  text(): string {
    return `${normalised(this.#parts.join('\n\n'))}\n`;
  }

  #asked(name: string, input: Json): void {
    this.say(`**${name}** \`${shortJson(input, Number.POSITIVE_INFINITY)}\``);
  }
}

/** All that differs between two runs, replaced: ids get numbers in the order in which they appear. */
function normalised(text: string): string {
  const ids = new Map<string, string>();
  return text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, (id) => {
      if (!ids.has(id)) ids.set(id, `id-${ids.size + 1}`);
      return ids.get(id) ?? id;
    })
    .replaceAll(/\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z/g, 'some-time')
    .replaceAll(/"last_commit": "[0-9a-f]{7,} /g, '"last_commit": "some-commit ')
    .replaceAll(/\([0-9a-f]{12}\)/g, '(some-commit)');
}

function errorOf(content: unknown): unknown {
  const [first] = Array.isArray(content) ? content : [];
  const text: unknown = isObject(first) ? first['text'] : undefined;
  return JSON.parse(typeof text === 'string' ? text : '{}');
}

/** The part of a value that the paths name; `[]` goes into each entry of a list. */
function pick(value: unknown, paths: readonly string[]): unknown {
  if (!isObject(value)) return value;
  const heads = Map.groupBy(paths, (path) => path.split('.')[0] ?? '');
  return Object.fromEntries(
    [...heads].map(([head, group]) => {
      const name = head.replace(/\[\]$/, '');
      const inner = value[name];
      const rest = group.map((path) => path.slice(head.length + 1)).filter((path) => path !== '');
      if (rest.length === 0) return [name, inner];
      return [name, Array.isArray(inner) ? inner.map((each) => pick(each, rest)) : pick(inner, rest)];
    }),
  );
}

/** JSON with a line of its own for what does not fit into one. */
function shortJson(value: unknown, width = LINE_WIDTH): string {
  const line = lineOf(value);
  if (line.length <= width || typeof value !== 'object' || value === null) return line;
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const entries = Array.isArray(value)
    ? value.map((each) => shortJson(each, width - 2))
    : Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}: ${shortJson(each, width - 2)}`);
  return `${open}\n${entries.map((entry) => entry.replaceAll(/^/gm, '  ')).join(',\n')}\n${close}`;
}

function lineOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(lineOf).join(', ')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const entries = Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}: ${lineOf(each)}`);
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
