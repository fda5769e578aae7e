// Has resources that change, a template, a prompt, completions and a log beside its tools.
import { notify, speak, text } from './speak.mjs';

const followed = new Set();
const books = ['one'];
let level = 'warning';
const RANKS = ['debug', 'info', 'notice', 'warning', 'error'];
const log = (at, data) => {
  if (RANKS.indexOf(at) >= RANKS.indexOf(level))
    notify('notifications/message', { level: at, logger: 'lib', data });
};

const contents = (uri, value) => ({
  contents: [{ uri, mimeType: 'text/plain', text: value, _meta: { kept: true } }],
});
const tool = (name, call) => ({
  name,
  inputSchema: { type: 'object' },
  annotations: { readOnlyHint: true },
  call,
});
const tools = [
  tool('work', () => text('worked')),
  tool('rewrite', ({ uri }) => {
    for (const each of followed) if (each === uri) notify('notifications/resources/updated', { uri });
    return text([...followed].join(' '));
  }),
  tool('link', ({ uri }) => ({
    content: [
      { type: 'resource_link', uri, name: 'found' },
      { type: 'resource', resource: { uri: `${uri}#inside`, text: 'inside' } },
    ],
  })),
  tool('publish', ({ name }) => {
    books.push(name);
    notify('notifications/resources/list_changed');
    return text('published');
  }),
  tool('log', () => {
    for (const at of RANKS) log(at, `a word of ${at}`);
    return text(level);
  }),
  tool('log_later', () => {
    setTimeout(() => log('error', 'said later'), 50);
    return text('later');
  }),
];
speak(() => tools, {
  capabilities: {
    tools: {},
    resources: { subscribe: true, listChanged: true },
    prompts: {},
    completions: {},
    logging: {},
  },
  answers: {
    'logging/setLevel': (params) => {
      level = params.level;
      return {};
    },
    'resources/subscribe': ({ uri }) => {
      followed.add(uri);
      return {};
    },
    'resources/unsubscribe': ({ uri }) => {
      followed.delete(uri);
      return {};
    },
    'resources/list': () => ({ resources: books.map((name) => ({ uri: `book://${name}`, name, size: 3 })) }),
    'resources/templates/list': () => ({
      resourceTemplates: [{ uriTemplate: 'page://{number}', name: 'page' }],
    }),
    'resources/read': ({ uri }) => {
      if (uri === 'page://404') throw Object.assign(new Error('no such page'), { code: -32602 });
      return contents(uri, `content of ${uri}`);
    },
    'prompts/list': () => ({ prompts: [{ name: 'greet', arguments: [{ name: 'who' }] }] }),
    'prompts/get': ({ name, arguments: args }) => ({
      messages: [{ role: 'user', content: { type: 'text', text: `${name} ${args?.who}` } }],
    }),
    'completion/complete': ({ argument, ref }) => ({
      completion: { values: [`${argument.value}-${ref.name ?? ref.uri}`] },
    }),
  },
});
