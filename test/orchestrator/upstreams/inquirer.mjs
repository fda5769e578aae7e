// Speaks MCP of 2026-07-28 on stdio. Its destructive tools ask their user before they act: several times, in one call
// that the client makes again with each answer.
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const PREFIX = 'io.modelcontextprotocol/';
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const text = (value) => ({ resultType: 'complete', content: [{ type: 'text', text: value }] });
const note = (line) => process.env.LAB_LOG && appendFileSync(process.env.LAB_LOG, `${line}\n`);
const elicit = (message) => ({
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message,
    requestedSchema: { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] },
  },
});

/** Asks without a state: what it has to know comes with the answer. */
function once({ inputResponses = {}, requestState }) {
  if (requestState !== undefined) throw Object.assign(new Error('not a state of mine'), { code: -32602 });
  if (inputResponses.why === undefined)
    return { resultType: 'input_required', inputRequests: { why: elicit('Why?') } };
  note(`once because of ${inputResponses.why.content?.answer}`);
  return text(`done because of ${inputResponses.why.content?.answer}`);
}

/** Asks three times, and once only wants to be called again; its state has what was answered so far. */
function often({ inputResponses = {}, requestState = '[]' }) {
  const answers = JSON.parse(requestState);
  if (inputResponses.approval !== undefined) answers.push(inputResponses.approval.content?.answer);
  if (answers.length === 1 && inputResponses.approval !== undefined)
    return { resultType: 'input_required', requestState: JSON.stringify(answers) };
  if (answers.length < 3) {
    const inputRequests = { approval: elicit(`Question ${answers.length + 1}?`) };
    return { resultType: 'input_required', inputRequests, requestState: JSON.stringify(answers) };
  }
  note(`often ${answers.join(' ')}`);
  return text(`done with ${answers.join(' ')}`);
}

const calls = { once, often };
const methods = {
  'server/discover': () => ({
    supportedVersions: ['2026-07-28'],
    capabilities: { tools: {} },
    _meta: { [`${PREFIX}serverInfo`]: { name: 'inquirer', version: '1' } },
  }),
  'tools/list': () => ({
    tools: Object.keys(calls).map((name) => ({
      name,
      inputSchema: { type: 'object' },
      annotations: { destructiveHint: true },
    })),
  }),
  'tools/call': (params) => calls[params.name](params),
  ping: () => ({}),
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) return;
  try {
    const answer = methods[method];
    if (answer === undefined) throw Object.assign(new Error('Method not found'), { code: -32601 });
    send({ id, result: { resultType: 'complete', ttlMs: 0, cacheScope: 'private', ...answer(params) } });
  } catch ({ code = -32603, message }) {
    send({ id, error: { code, message } });
  }
});
