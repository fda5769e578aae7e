// An MCP server of the new era with the tools, prompts and resources that the conformance suite asks for by name.
import { createHmac, randomBytes } from 'node:crypto';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAESsAACJWAAACABAAZGF0YQAAAAA=';
const META = 'io.modelcontextprotocol/';
const key = randomBytes(32);

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const notify = (method, params) => send({ method, params });
const fail = (code, message, data) => Object.assign(new Error(message), { code, data });
const text = (value) => ({ type: 'text', text: value });
const result = (...content) => ({ resultType: 'complete', content });
const object = (properties = {}, required = []) => ({ type: 'object', properties, required });
const string = { type: 'string' };

const elicit = (message, properties, required = Object.keys(properties)) => ({
  method: 'elicitation/create',
  params: { mode: 'form', message, requestedSchema: object(properties, required) },
});
const sample = (prompt, maxTokens) => ({
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: text(prompt) }], maxTokens },
});
const roots = { method: 'roots/list', params: {} };
const ask = (inputRequests, requestState) => ({
  resultType: 'input_required',
  inputRequests,
  ...(requestState === undefined ? {} : { requestState }),
});
const sign = (state) => `${state}.${createHmac('sha256', key).update(state).digest('hex')}`;
const verify = (state) => {
  const [plain] = String(state).split('.');
  if (sign(plain) !== state) throw fail(-32602, 'The requestState was changed');
  return plain;
};
/** Asks until every answer that was asked for is there, and of the right kind. */
const asking =
  (requests, use, requestState) =>
  ({ inputResponses = {}, requestState: given }) => {
    const answered = Object.entries(requests).every(([name, { method }]) => {
      const answer = inputResponses?.[name];
      if (typeof answer !== 'object' || answer === null) return false;
      return method !== 'elicitation/create' || typeof answer.action === 'string';
    });
    if (!answered) return ask(requests, requestState && sign(requestState));
    if (requestState !== undefined) verify(given);
    return use(inputResponses);
  };
const said = ({ action, content }) => `action=${action}, content=${JSON.stringify(content ?? {})}`;
const capability = (params, name) => {
  if (params._meta?.[`${META}clientCapabilities`]?.[name] !== undefined) return;
  throw fail(-32021, `The client has no ${name}`, { requiredCapabilities: { [name]: {} } });
};

const choices = ['option1', 'option2', 'option3'];
const titled = (word) =>
  ['First', 'Second', 'Third'].map((each, index) => ({
    const: `value${index + 1}`,
    title: `${each} ${word}`,
  }));
const NAME = { user_name: elicit('What is your name?', { name: string }) };

const tools = {
  test_simple_text: () => result(text('This is a simple text response for testing.')),
  test_image_content: () => result({ type: 'image', data: PNG, mimeType: 'image/png' }),
  test_audio_content: () => result({ type: 'audio', data: WAV, mimeType: 'audio/wav' }),
  test_embedded_resource: () =>
    result({
      type: 'resource',
      resource: {
        uri: 'test://embedded-resource',
        mimeType: 'text/plain',
        text: 'This is an embedded resource content.',
      },
    }),
  test_multiple_content_types: () =>
    result(
      text('Multiple content types test:'),
      { type: 'image', data: PNG, mimeType: 'image/png' },
      {
        type: 'resource',
        resource: {
          uri: 'test://mixed-content-resource',
          mimeType: 'application/json',
          text: '{"test":"data","value":123}',
        },
      },
    ),
  test_tool_with_logging: async (params) => {
    for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      if (params._meta?.[`${META}logLevel`] !== undefined)
        notify('notifications/message', { level: 'info', data });
      await delay(50);
    }
    return result(text('logged'));
  },
  test_logging_tool: (params) => tools.test_tool_with_logging(params),
  test_error_handling: () => ({
    ...result(text('This tool intentionally returns an error for testing')),
    isError: true,
  }),
  test_tool_with_progress: async ({ _meta }) => {
    for (const progress of [0, 50, 100]) {
      if (_meta?.progressToken !== undefined)
        notify('notifications/progress', { progressToken: _meta.progressToken, progress, total: 100 });
      await delay(50);
    }
    return result(text('done'));
  },
  test_sampling: (params) => {
    capability(params, 'sampling');
    return asking({ answer: sample(params.arguments.prompt, 100) }, ({ answer }) =>
      result(text(`LLM response: ${answer.content?.text}`)),
    )(params);
  },
  test_elicitation: (params) => {
    capability(params, 'elicitation');
    const fields = {
      username: { ...string, description: "User's response" },
      email: { ...string, description: "User's email address" },
    };
    return asking({ answer: elicit(params.arguments.message, fields) }, ({ answer }) =>
      result(text(`User response: ${said(answer)}`)),
    )(params);
  },
  test_streaming_elicitation: (params) =>
    tools.test_elicitation({ ...params, arguments: { message: 'Say it' } }),
  test_elicitation_sep1034_defaults: asking(
    {
      answer: elicit(
        'Defaults',
        {
          name: { ...string, default: 'John Doe' },
          age: { type: 'integer', default: 30 },
          score: { type: 'number', default: 95.5 },
          status: { ...string, enum: ['active', 'inactive', 'pending'], default: 'active' },
          verified: { type: 'boolean', default: true },
        },
        [],
      ),
    },
    ({ answer }) => result(text(`Elicitation completed: ${said(answer)}`)),
  ),
  test_elicitation_sep1330_enums: asking(
    {
      answer: elicit(
        'Choices',
        {
          untitledSingle: { ...string, enum: choices },
          titledSingle: { ...string, oneOf: titled('Option') },
          legacyEnum: {
            ...string,
            enum: ['opt1', 'opt2', 'opt3'],
            enumNames: ['Option One', 'Option Two', 'Option Three'],
          },
          untitledMulti: { type: 'array', items: { ...string, enum: choices } },
          titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
        },
        [],
      ),
    },
    ({ answer }) => result(text(`Elicitation completed: ${said(answer)}`)),
  ),
  test_missing_capability: (params) => {
    capability(params, 'sampling');
    return result(text('it has it'));
  },
  test_reconnection: async () => {
    await delay(100);
    return result(text('still here'));
  },
  test_trigger_tool_change: () => {
    notifyListeners('notifications/tools/list_changed', 'toolsListChanged');
    return result(text('changed'));
  },
  test_trigger_prompt_change: () => {
    notifyListeners('notifications/prompts/list_changed', 'promptsListChanged');
    return result(text('changed'));
  },
  json_schema_2020_12_tool: () => result(text('valid')),
  test_input_required_result_elicitation: asking(NAME, ({ user_name }) =>
    result(text(`Hello, ${user_name.content?.name}!`)),
  ),
  test_input_required_result_sampling: asking(
    { capital_question: sample('What is the capital of France?', 100) },
    ({ capital_question }) => result(text(String(capital_question.content?.text))),
  ),
  test_input_required_result_list_roots: asking({ client_roots: roots }, ({ client_roots }) =>
    result(text(JSON.stringify(client_roots.roots))),
  ),
  test_input_required_result_request_state: asking(
    { confirm: elicit('Please confirm', { ok: { type: 'boolean' } }) },
    () => result(text('state-ok')),
    'confirm',
  ),
  test_input_required_result_tampered_state: asking(
    { confirm: elicit('Please confirm', { ok: { type: 'boolean' } }) },
    () => result(text('state-ok')),
    'tamper',
  ),
  test_input_required_result_multiple_inputs: asking(
    { ...NAME, greeting: sample('Generate a greeting', 50), client_roots: roots },
    () => result(text('all of them')),
    'several',
  ),
  test_input_required_result_multi_round: (params) => {
    const { inputResponses, requestState } = params;
    if (requestState === undefined)
      return ask({ step1: elicit('Step 1: What is your name?', { name: string }) }, sign('1'));
    if (verify(requestState) === '1')
      return ask({ step2: elicit('Step 2: What is your favorite color?', { color: string }) }, sign('2'));
    return result(text(`${inputResponses?.step2?.content?.color}`));
  },
  test_input_required_result_capabilities: (params) => {
    const has = params._meta?.[`${META}clientCapabilities`] ?? {};
    const wanted = {
      ...(has.elicitation === undefined ? {} : NAME),
      ...(has.sampling === undefined ? {} : { greeting: sample('Generate a greeting', 50) }),
    };
    return Object.keys(wanted).length === 0
      ? result(text('nothing can be asked'))
      : asking(wanted, () => result(text('asked')))(params);
  },
};
const SCHEMAS = {
  test_sampling: object({ prompt: string }, ['prompt']),
  test_elicitation: object({ message: string }, ['message']),
  json_schema_2020_12_tool: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: {
      address: { $anchor: 'addressDef', type: 'object', properties: { street: string, city: string } },
    },
    properties: {
      name: string,
      address: { $ref: '#/$defs/address' },
      contactMethod: { type: 'string', enum: ['phone', 'email'] },
      phone: string,
      email: string,
    },
    allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
    if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
    // oxlint-disable-next-line unicorn/no-thenable -- a word of JSON Schema
    then: { required: ['phone'] },
    else: { required: ['email'] },
    additionalProperties: false,
  },
};

const prompts = {
  test_simple_prompt: () => [{ role: 'user', content: text('This is a simple prompt for testing.') }],
  test_prompt_with_arguments: ({ arg1, arg2 }) => [
    { role: 'user', content: text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`) },
  ],
  test_prompt_with_embedded_resource: ({ resourceUri }) => [
    {
      role: 'user',
      content: {
        type: 'resource',
        resource: {
          uri: resourceUri,
          mimeType: 'text/plain',
          text: 'Embedded resource content for testing.',
        },
      },
    },
    { role: 'user', content: text('Please process the embedded resource above.') },
  ],
  test_prompt_with_image: () => [
    { role: 'user', content: { type: 'image', data: PNG, mimeType: 'image/png' } },
    { role: 'user', content: text('Please analyze the image above.') },
  ],
};
const ARGUMENTS = {
  test_prompt_with_arguments: ['arg1', 'arg2'],
  test_prompt_with_embedded_resource: ['resourceUri'],
};
const cached = { ttlMs: 0, cacheScope: 'private' };
const whole = (value) => ({ resultType: 'complete', ...cached, ...value });

const listening = new Map();
const notifyListeners = (method, filter) => {
  for (const [id, notifications] of listening) {
    if (notifications[filter] === true) notify(method, { _meta: { [`${META}subscriptionId`]: id } });
  }
};
const methods = {
  'server/discover': () =>
    whole({
      supportedVersions: ['2026-07-28'],
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        completions: {},
        logging: {},
      },
      _meta: { [`${META}serverInfo`]: { name: 'fixtures', version: '1' } },
    }),
  'tools/list': () =>
    whole({
      tools: Object.keys(tools).map((name) => ({
        name,
        description: `The fixture ${name}`,
        inputSchema: SCHEMAS[name] ?? object(),
      })),
    }),
  'tools/call': (params) => tools[params.name](params),
  'prompts/list': () =>
    whole({
      prompts: [...Object.keys(prompts), 'test_input_required_result_prompt'].map((name) => ({
        name,
        description: `The fixture ${name}`,
        arguments: (ARGUMENTS[name] ?? []).map((each) => ({ name: each, required: true })),
      })),
    }),
  'prompts/get': (params) => {
    const { name, arguments: args = {} } = params;
    if (name !== 'test_input_required_result_prompt')
      return { resultType: 'complete', messages: prompts[name](args) };
    const request = { user_context: elicit('What context should the prompt use?', { context: string }) };
    return asking(request, ({ user_context }) => ({
      resultType: 'complete',
      messages: [{ role: 'user', content: text(String(user_context.content?.context)) }],
    }))(params);
  },
  'resources/list': () =>
    whole({
      resources: [
        { uri: 'test://static-text', name: 'text', mimeType: 'text/plain' },
        { uri: 'test://static-binary', name: 'binary', mimeType: 'image/png' },
        { uri: 'test://watched-resource', name: 'watched', mimeType: 'text/plain' },
      ],
    }),
  'resources/templates/list': () =>
    whole({
      resourceTemplates: [
        { uriTemplate: 'test://template/{id}/data', name: 'template', mimeType: 'application/json' },
      ],
    }),
  'resources/read': ({ uri }) => {
    const [, id] = /^test:\/\/template\/([^/]+)\/data$/.exec(uri) ?? [];
    if (id !== undefined) {
      const data = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
      return whole({ contents: [{ uri, mimeType: 'application/json', text: data }] });
    }
    if (uri === 'test://static-binary')
      return whole({ contents: [{ uri, mimeType: 'image/png', blob: PNG }] });
    return whole({
      contents: [{ uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }],
    });
  },
  'completion/complete': () => ({
    resultType: 'complete',
    completion: { values: ['paris', 'park', 'party'], total: 3, hasMore: false },
  }),
};

createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params = {} } = JSON.parse(line);
  if (method === 'subscriptions/listen') {
    listening.set(id, params.notifications ?? {});
    notify('notifications/subscriptions/acknowledged', {
      notifications: params.notifications,
      _meta: { [`${META}subscriptionId`]: id },
    });
    return;
  }
  if (id === undefined) return;
  try {
    const answer = methods[method];
    if (answer === undefined) throw fail(-32601, 'Method not found');
    send({ id, result: await answer(params) });
  } catch ({ code = -32603, message, data }) {
    send({ id, error: { code, message, ...(data === undefined ? {} : { data }) } });
  }
});
