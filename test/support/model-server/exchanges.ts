import { scriptText } from './model-script.ts';

/** What is asked of a model server: the same of a real Ollama, of its recorded answers, and of the scripted one. */
export interface ModelExchange {
  readonly name: string;
  readonly path: string;
  /** Undefined for a GET. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** Added for a real model, which would not make the call by itself: its answer is forced into this shape. */
  readonly forced?: Readonly<Record<string, unknown>>;
}

/** A server's models: one that can call tools, and one that cannot. */
export interface ModelNames {
  readonly caller: string;
  readonly talker: string;
}

export interface ModelAnswer {
  readonly status: number;
  readonly type: string;
  /** The JSON documents of the answer; of a stream, each of its lines. */
  readonly documents: readonly unknown[];
}

const CALL = {
  type: 'object',
  properties: {
    name: { type: 'string', enum: ['look'] },
    arguments: {
      type: 'object',
      properties: { path: { type: 'string', enum: ['README.md'] } },
      required: ['path'],
    },
  },
  required: ['name', 'arguments'],
};

export function modelExchanges({ caller, talker }: ModelNames): readonly ModelExchange[] {
  const parameters = { type: 'object', properties: { path: { type: 'string' } } };
  const tools = [{ type: 'function', function: { name: 'look', description: 'Looks', parameters } }];
  const messages = [
    {
      role: 'user',
      content: scriptText([{ tool: 'look', input: { path: 'README.md' } }, { text: 'Done.' }]),
    },
  ];
  const stream_options = { include_usage: true };
  const options = { num_ctx: 1_024, num_predict: 200 };
  return [
    { name: 'version', path: '/api/version' },
    { name: 'models', path: '/api/tags' },
    { name: 'a model', path: '/api/show', body: { model: caller } },
    { name: 'a model that is not there', path: '/api/show', body: { model: 'nope' } },
    { name: 'an answer', path: '/api/chat', body: { model: talker, messages, options, stream: true } },
    {
      name: 'a call',
      path: '/api/chat',
      body: { model: caller, messages, tools, options, stream: true },
      forced: { format: CALL },
    },
    { name: 'an answer of a model that is not there', path: '/api/chat', body: { model: 'nope', messages } },
    {
      name: 'tools for a model that cannot call any',
      path: '/api/chat',
      body: { model: talker, messages, tools },
    },
    { name: 'a pull that fails', path: '/api/pull', body: { model: '127.0.0.1:1/no/such' } },
    {
      name: 'an answer by the API of OpenAI',
      path: '/v1/chat/completions',
      body: { model: talker, messages, max_tokens: 20, stream: true, stream_options },
    },
    {
      name: 'a call by the API of OpenAI',
      path: '/v1/chat/completions',
      body: { model: caller, messages, tools, max_tokens: 200, stream: true, stream_options },
      forced: { response_format: { type: 'json_schema', json_schema: { schema: CALL } } },
    },
  ];
}

export async function askModel(url: string, { path, body, forced }: ModelExchange): Promise<ModelAnswer> {
  const response = await fetch(
    url + path,
    body === undefined ? {} : { method: 'POST', body: JSON.stringify({ ...body, ...forced }) },
  );
  const type = (response.headers.get('content-type') ?? '').replace(/;.*$/, '');
  const lines = (await response.text())
    .split('\n')
    .map((line) => line.replace(/^data: /, ''))
    .filter((line) => line !== '' && line !== '[DONE]');
  return { status: response.status, type, documents: lines.map((line) => JSON.parse(line) as unknown) };
}

/** Every field of some JSON documents, with the type of its value. */
export function fieldsOf(documents: readonly unknown[]): ReadonlySet<string> {
  const fields = new Set<string>();
  const add = (value: unknown, path: string): void => {
    if (Array.isArray(value)) for (const each of value) add(each, `${path}[]`);
    else if (typeof value === 'object' && value !== null)
      for (const [key, each] of Object.entries(value)) add(each, `${path}.${key}`);
    else fields.add(`${path}: ${value === null ? 'null' : typeof value}`);
  };
  for (const document of documents) add(document, '');
  return fields;
}
