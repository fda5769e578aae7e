// A small coding agent without a model: does the steps of a prompt, as the real ones do by their tools.
// Sessions are files, so that they outlive the process. `SCRIPT:[…]` in a prompt holds the steps.
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { agent, methods, ndJsonStream, RequestError } from '@agentclientprotocol/sdk';

const sessions = process.env.SCRIPTED_SESSIONS ?? '.';
const running = new Map();
const MODELS = ['large', 'small'];
let modes = 'default';
let model = 'large';

const app = agent({ name: 'scripted' })
  .onRequest(methods.agent.initialize, ({ params }) => ({
    protocolVersion: params.protocolVersion,
    agentCapabilities: { loadSession: true, sessionCapabilities: { resume: {} } },
    agentInfo: { name: 'scripted', version: '1' },
  }))
  .onRequest(methods.agent.session.new, ({ params }) => {
    const id = randomUUID();
    writeFileSync(file(id), `${JSON.stringify({ cwd: params.cwd, mcpServers: params.mcpServers })}\n`);
    return { sessionId: id, modes: modeState(), configOptions: [modelOption()] };
  })
  .onRequest(methods.agent.session.resume, ({ params }) => {
    if (!existsSync(file(params.sessionId))) throw RequestError.resourceNotFound(params.sessionId);
    return { modes: modeState(), configOptions: [modelOption()] };
  })
  .onRequest(methods.agent.session.setMode, ({ params }) => {
    modes = params.modeId;
    return {};
  })
  .onRequest(methods.agent.session.setConfigOption, ({ params }) => {
    if (!MODELS.includes(params.value)) throw RequestError.invalidParams(params.value);
    model = params.value;
    return { configOptions: [modelOption()] };
  })
  .onRequest(methods.agent.session.prompt, ({ params, client }) => prompt(params, client))
  .onNotification(methods.agent.session.cancel, ({ params }) => running.get(params.sessionId)?.abort());

app.connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));

async function prompt({ sessionId, prompt: parts }, client) {
  const [text, before = ''] = parts.map((part) => part.text).toReversed();
  const abort = new AbortController();
  running.set(sessionId, abort);
  appendFileSync(file(sessionId), `${JSON.stringify({ prompt: text, before })}\n`);
  const update = (fields) => client.notify(methods.client.session.update, { sessionId, update: fields });
  const say = (words) =>
    update({
      sessionUpdate: 'agent_message_chunk',
      content: { type: 'text', text: words },
      messageId: randomUUID(),
    });
  try {
    for (const step of stepsOf(text, sessionId)) {
      abort.signal.throwIfAborted();
      await perform(step, { sessionId, client, update, say, signal: abort.signal });
    }
    await update({
      sessionUpdate: 'usage_update',
      used: 10,
      size: 1000,
      cost: { amount: 0.01, currency: 'USD' },
    });
    return { stopReason: 'end_turn', usage: { totalTokens: 100, inputTokens: 60, outputTokens: 40 } };
  } catch (thrown) {
    if (abort.signal.aborted) return { stopReason: 'cancelled' };
    throw thrown;
  } finally {
    running.delete(sessionId);
  }
}

/** The steps of the last script of the session that are not done yet, whatever the prompt says beside it. */
function stepsOf(text, sessionId) {
  const [, script] = /SCRIPT:(\[.*\])/s.exec(text) ?? [];
  const goesOn = text.startsWith('You were cut off');
  if (script !== undefined && !goesOn) return JSON.parse(script);
  const before = readFileSync(file(sessionId), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const isNew = ({ prompt = '' }) => /SCRIPT:/.test(prompt) && !prompt.startsWith('You were cut off');
  const found = before.findLastIndex(isNew);
  const isSame = script === undefined || before[found]?.prompt.includes(script);
  const last = isSame ? found : before.findIndex(({ prompt = '' }) => prompt.includes(script));
  const [, known] = /SCRIPT:(\[.*\])/s.exec(before[last]?.prompt ?? '') ?? [];
  const done = before.slice(last).filter((entry) => entry.done === true).length;
  if (known === undefined) return [{ say: `heard: ${text}` }];
  const left = JSON.parse(known).slice(done);
  return goesOn && left.length === 0 ? [{ say: 'nothing is left to do' }] : left;
}

async function perform(step, { sessionId, client, update, say, signal }) {
  const done = () => appendFileSync(file(sessionId), `${JSON.stringify({ done: true })}\n`);
  if ('say' in step) await say(step.say.repeat(step.times ?? 1));
  if ('model' in step) await say(`I am ${model}`);
  if ('think' in step)
    await update({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: step.think } });
  if ('plan' in step)
    await update({
      sessionUpdate: 'plan',
      entries: step.plan.map((content) => ({ content, status: 'pending', priority: 'medium' })),
    });
  if ('write' in step || 'run' in step) await useTool(step, { sessionId, client, update });
  if ('call' in step) await say(await callTool(step, sessionId));
  if ('hold' in step) while (!existsSync(step.hold)) await delay(10, undefined, { signal });
  if ('ask' in step) {
    const answer = await client.request('elicitation/create', {
      sessionId,
      mode: 'form',
      message: step.ask,
      requestedSchema: step.form ?? {
        type: 'object',
        properties: { answer: step.choices === undefined ? { type: 'string' } : { enum: step.choices } },
      },
    });
    await say(`answer: ${JSON.stringify(answer)}`);
  }
  if ('fail' in step && !existsSync(step.until ?? '/nonexistent'))
    throw new RequestError(-32_603, `Internal error: ${step.fail}`, { errorKind: step.kind });
  if ('crash' in step && !existsSync(step.crash)) {
    writeFileSync(step.crash, '');
    process.kill(process.pid, 'SIGKILL');
  }
  if ('spend' in step)
    await update({
      sessionUpdate: 'usage_update',
      used: 10,
      size: 1000,
      cost: { amount: step.spend, currency: 'USD' },
    });
  if ('silent' in step) await delay(step.silent, undefined, { signal });
  done();
}

async function useTool(step, { sessionId, client, update }) {
  const toolCallId = randomUUID();
  const [name, rawInput] =
    'run' in step ? ['Bash', { command: step.run }] : ['Write', { file_path: resolve(step.write) }];
  const call = { toolCallId, name, title: rawInput.command ?? rawInput.file_path, kind: 'other', rawInput };
  if ('before' in step)
    call.content = [{ type: 'diff', path: rawInput.file_path, oldText: step.before, newText: step.content }];
  await update({ sessionUpdate: 'tool_call', ...call, status: 'pending' });
  const { outcome } = step.free
    ? { outcome: { outcome: 'selected', optionId: 'allow' } }
    : await client.request(methods.client.session.requestPermission, {
        sessionId,
        toolCall: call,
        options: [
          { optionId: 'always', name: 'Always', kind: 'allow_always' },
          { optionId: 'allow', name: 'Yes', kind: 'allow_once' },
          { optionId: 'reject', name: 'No', kind: 'reject_once' },
        ],
      });
  const allowed = outcome.outcome === 'selected' && outcome.optionId === 'allow';
  const rawOutput = allowed ? doTool(step) : 'refused';
  await update({
    sessionUpdate: 'tool_call_update',
    toolCallId,
    status: allowed ? 'completed' : 'failed',
    rawOutput,
  });
}

/** Calls a tool of a server that the session was given, and says what came of it. */
async function callTool({ call, server, input }, sessionId) {
  const [first = '{}'] = readFileSync(file(sessionId), 'utf8').split('\n');
  const { command, args, env } = JSON.parse(first).mcpServers.find(({ name }) => name === server);
  const client = new Client({ name: 'scripted', version: '1' });
  const variables = Object.fromEntries(env.map(({ name, value }) => [name, value]));
  await client.connect(
    new StdioClientTransport({ command, args, env: { PATH: process.env.PATH, ...variables } }),
  );
  try {
    const { content } = await client.callTool({ name: call, arguments: input });
    return `${call}: ${content[0].text}`;
  } finally {
    await client.close();
  }
}

function doTool(step) {
  if ('run' in step) return execFileSync('sh', ['-c', step.run], { encoding: 'utf8' });
  mkdirSync(dirname(resolve(step.write)), { recursive: true });
  writeFileSync(step.write, step.content ?? 'written');
  return `wrote ${step.write}`;
}

function file(id) {
  return join(sessions, `${id}.jsonl`);
}

function modelOption() {
  const options = MODELS.map((value) => ({ value, name: value }));
  return { id: 'model', name: 'Model', type: 'select', currentValue: model, options };
}

function modeState() {
  const available = ['default', 'acceptEdits'].map((id) => ({ id, name: id }));
  return { currentModeId: modes, availableModes: available };
}
