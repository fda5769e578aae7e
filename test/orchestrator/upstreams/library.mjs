// Has resources, a template, a prompt and completions beside a tool.
import { speak, text } from './speak.mjs';

const contents = (uri, value) => ({
  contents: [{ uri, mimeType: 'text/plain', text: value, _meta: { kept: true } }],
});
speak(() => [{ name: 'work', inputSchema: { type: 'object' }, call: () => text('worked') }], {
  capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
  answers: {
    'resources/list': () => ({ resources: [{ uri: 'book://one', name: 'one', size: 3 }] }),
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
