import { createServer } from 'node:http';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runFleet } from '../support/fleets/fleet-process.ts';
import {
  agentsOf,
  askAs,
  history,
  idleAgent,
  signalFile,
  until,
} from '../support/fleets/fleet-under-test.ts';
import { scriptText } from '../support/model-server/model-script.ts';
import { script } from '../support/script.ts';
import { upstream } from '../orchestrator/upstream-place.ts';
import { sentText, sessionPlace, type SessionPlace } from './session-place.ts';

let place: SessionPlace;
beforeAll(async () => {
  place = await sessionPlace((config) => {
    config['mcpServers'] = { lab: upstream('flood') };
  });
});
afterAll(() => place[Symbol.asyncDispose]());

const answer = (text: string) => [{ text }];

describe('fleet ask', () => {
  it('answers one question and ends [SES-ask]', async () => {
    const { code, stdout, stderr } = await place.ask(answer('There are no agents.'));
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'There are no agents.\n', stderr: '' });
  });

  it('runs the calls of the model and sends their results back before the answer [SES-flow]', async () => {
    const create = { project: 'Setup', task: script({ write: 'made.txt' }), name: 'sony' };
    const {
      answer: text,
      rounds,
      calls,
    } = await place.askJson([
      { tool: 'create_agent', input: create },
      { tool: 'wait_for_agents', input: { agent_names: 'sony', timeout_seconds: 50 } },
      { tool: 'show_agent_diff', input: { agent_name: 'sony' } },
      { text: 'sony made made.txt' },
    ]);
    expect({ text, rounds }).toEqual({ text: 'sony made made.txt', rounds: 3 });
    expect(calls.map(({ tool, failed }) => [tool, failed])).toEqual([
      ['create_agent', false],
      ['wait_for_agents', false],
      ['show_agent_diff', false],
    ]);
    expect(sentText(place.model.requests.at(-1))).toContain('made.txt');
    const [task] = await history(askAs(place.fleet.fleet), 'sony');
    expect(task).toMatchObject({ source: 'ai' });
    const { stdout } = await runFleet(['audit', '--json'], { env: place.env });
    expect(stdout).toMatch(/"session:[^"]+"/);
  });

  it('calls tools of MCP servers, and cuts a result of 10 MB', async () => {
    const bytes = 10 * 1024 * 1024;
    const { calls } = await place.askJson([{ tool: 'lab__flood', input: { bytes } }, { text: 'much' }]);
    expect(calls).toMatchObject([{ tool: 'lab__flood', failed: false }]);
    const sent = sentText(place.model.requests.at(-1));
    expect(sent).toMatch(/\[\d+ characters left out\]/);
    expect(sent.length).toBeLessThan(200_000);
  });

  it('runs the calls of one round side by side', async () => {
    const ask = askAs(place.fleet.fleet);
    const file = signalFile(place.fleet, 'go');
    await idleAgent(ask, 'helper');
    await ask('create_agent', { project: 'Setup', task: script({ hold: file }), name: 'held' });
    const { calls } = await place.askJson([
      {
        tools: [
          { tool: 'wait_for_agents', input: { agent_names: 'held', timeout_seconds: 50 } },
          {
            tool: 'start_agent_task',
            input: { agent_name: 'helper', task_description: script({ write: file }) },
          },
        ],
      },
      { text: 'both' },
    ]);
    expect(calls.map(({ failed }) => failed)).toEqual([false, false]);
    expect(sentText(place.model.requests.at(-1))).toContain(String.raw`\"timed_out\":false`);
  });

  it('stops after 10 rounds and says so [SES-rounds]', async () => {
    const steps = Array.from({ length: 12 }, (_, at) => ({
      tool: 'list_agents',
      input: { page: at + 1, page_size: 1 },
    }));
    const { rounds, stopped, notices, calls, answer: text } = await place.askJson(steps);
    expect({ rounds, stopped, calls: calls.length }).toEqual({ rounds: 10, stopped: 'rounds', calls: 10 });
    expect(notices.join()).toContain('Stopped after 10 rounds of tool calls');
    expect(text).toContain('Stopped after 10 rounds of tool calls');
  });

  it('stops a model that makes the same call for ever', async () => {
    const steps = Array.from({ length: 12 }, () => ({ tool: 'list_agent_projects' }));
    const { stopped, calls, notices } = await place.askJson(steps);
    expect({ stopped, calls: calls.length }).toEqual({ stopped: 'repeated', calls: 3 });
    expect(notices.join()).toContain('the same call to list_agent_projects 3 times');
  });

  it('gives failures back as results: no such tool, broken arguments, a tool that fails', async () => {
    const { calls, answer: text } = await place.askJson([
      { tool: 'list_agent' },
      { tool: 'show_agent', input: '{"agent_name":' },
      { tool: 'show_agent', input: { name: 'sony' } },
      { tool: 'show_agent', input: { agent_name: 'nobody' } },
      { text: 'I give up.' },
    ]);
    expect(calls.map(({ failed }) => failed)).toEqual([true, true, true, true]);
    expect(text).toBe('I give up.');
    const sent = sentText(place.model.requests.at(-1));
    expect(sent).toContain('Did you mean');
    expect(sent).toContain('are not valid JSON');
    // The schema comes once, with the first error.
    expect(sent.match(/must match this JSON Schema/g)).toHaveLength(1);
    expect(sent).toContain('There is no agent');
  });

  it('adds what is piped in to the message', async () => {
    const { stdout } = await runFleet(['ask', 'Say it:'], {
      env: place.env,
      stdin: scriptText(answer('piped')),
    });
    expect(stdout).toBe('piped\n');
    expect(sentText(place.model.requests.at(-1))).toContain('Say it:');
    const alone = await runFleet(['ask', '-'], { env: place.env, stdin: scriptText(answer('alone')) });
    expect(alone.stdout).toBe('alone\n');
    expect(await runFleet(['ask'], { env: place.env })).toMatchObject({ code: 2 });
  });

  it('escapes control characters of the model and of tools', async () => {
    const { stdout, stderr } = await place.ask([
      { tool: 'show_agent', input: { agent_name: '\u001b[2Jx' } },
      { text: 'red \u001b[31m' },
    ]);
    expect(stdout + stderr).not.toContain('\u001b');
    expect(stdout).toContain(String.raw`\x1b[31m`);
  });
});

describe('destructive tools of fleet ask', () => {
  const remove = (agent_name: string) => [
    { tool: 'delete_agent', input: { agent_name } },
    { text: 'I tried.' },
  ];

  it('are refused without a terminal, with the option that allows them', async () => {
    const ask = askAs(place.fleet.fleet);
    await idleAgent(ask, 'kept');
    const { code, stderr, stdout } = await place.ask(remove('kept'));
    expect({ code, stdout }).toEqual({ code: 6, stdout: 'I tried.\n' });
    expect(stderr).toContain('--yes delete_agent');
    expect((await agentsOf(ask)).map(({ name }) => name)).toContain('kept');
  });

  it('run when --yes names them, and only those', async () => {
    const ask = askAs(place.fleet.fleet);
    await idleAgent(ask, 'going');
    expect(await place.ask(remove('going'), '--yes', 'stop_agent')).toMatchObject({ code: 6 });
    expect(await place.ask(remove('going'), '--yes', 'delete_agent')).toMatchObject({ code: 0 });
    expect((await agentsOf(ask)).map(({ name }) => name)).not.toContain('going');
  });

  it('always need a person when the call was printed as text', async () => {
    const ask = askAs(place.fleet.fleet);
    await idleAgent(ask, 'printed');
    const text = JSON.stringify({ name: 'delete_agent', arguments: { agent_name: 'printed' } });
    const { calls, notices } = await place.askJson([{ text }, { text: 'no' }], '--yes', 'delete_agent');
    expect(calls).toMatchObject([{ tool: 'delete_agent', failed: true }]);
    expect(notices.join()).toContain('printed a call to delete_agent');
    expect((await agentsOf(ask)).map(({ name }) => name)).toContain('printed');
  });

  it('leave a harmless printed call to run', async () => {
    const text = JSON.stringify({ name: 'list_agents', arguments: {} });
    const { calls, answer: said } = await place.askJson([{ text }, { text: 'done' }]);
    expect(calls).toMatchObject([{ tool: 'list_agents', failed: false }]);
    expect(said).toBe('done');
  });
});

describe('the checks of fleet ask', () => {
  const ask = (...args: string[]) => runFleet(['ask', '--json', ...args, 'hello'], { env: place.env });
  const reasonOf = ({ stdout }: { stdout: string }) =>
    (JSON.parse(stdout) as { error: { details: { reason: string } } }).error.details.reason;

  it('come before anything is sent: server, model, prompt [SES-checks-first]', async () => {
    const before = place.model.requests.length;
    const missing = join(place.fleet.directory, 'missing.md');
    const nowhere = await ask('--url', 'http://127.0.0.1:1', '--model', 'nope', '--system-prompt', missing);
    expect({ reason: reasonOf(nowhere), code: nowhere.code }).toEqual({
      reason: 'OLLAMA_UNAVAILABLE',
      code: 7,
    });
    expect(nowhere.stdout).toContain('ollama serve');
    const unknown = await ask('--model', 'nope', '--system-prompt', missing);
    expect({ reason: reasonOf(unknown), code: unknown.code }).toEqual({ reason: 'MODEL_NOT_FOUND', code: 3 });
    expect(unknown.stdout).toContain('scripted:latest');
    const promptless = await ask('--system-prompt', missing);
    expect({ reason: reasonOf(promptless), code: promptless.code }).toEqual({
      reason: 'SYSTEM_PROMPT_MISSING',
      code: 2,
    });
    expect(promptless.stdout).toContain('missing.md');
    expect(place.model.requests).toHaveLength(before);
  });

  it('say that a model cannot call tools, and offer it none', async () => {
    const { code, stderr } = await place.ask(answer('hi'), '--model', 'talker');
    expect(code).toBe(0);
    expect(stderr).toContain('talker:latest cannot call tools');
    expect(place.model.requests.at(-1)?.body).not.toHaveProperty('tools');
  });

  it('use the prompt of a file', async () => {
    const file = join(place.fleet.directory, 'prompt.md');
    writeFileSync(file, 'You are a lighthouse keeper.');
    await place.ask(answer('hi'), '--system-prompt', file);
    expect(sentText(place.model.requests.at(-1))).toContain('lighthouse keeper');
  });
});

describe('the model of fleet ask', () => {
  it('is one of Ollama unless the configuration names another [SES-model]', async () => {
    const wire = async (): Promise<string | undefined> => {
      expect(await place.ask(answer('hi'))).toMatchObject({ code: 0, stdout: 'hi\n' });
      return place.model.requests.at(-1)?.wire;
    };
    expect(await wire()).toBe('ollama-chat');
    const { url } = place.model;
    place.env['SOME_KEY'] = 'secret-key';
    place.fleet.configure((config) => {
      config['session'] = { provider: 'openai', url: `${url}/v1`, model: 'any', api_key_env: 'SOME_KEY' };
    });
    expect(await wire()).toBe('openai-chat');
    expect(place.model.requests.at(-1)?.headers.authorization).toBe('Bearer secret-key');
    place.fleet.configure((config) => {
      config['session'] = { provider: 'anthropic', url, model: 'any', api_key_env: 'SOME_KEY' };
    });
    expect(await wire()).toBe('anthropic-messages');
    expect(place.model.requests.at(-1)?.headers['x-api-key']).toBe('secret-key');
    place.fleet.configure((config) => delete config['session']);
  });

  it('dies in mid-stream with a sentence, and the conversation goes on', async () => {
    const file = signalFile(place.fleet, 'repaired');
    const steps = [{ text: 'A long answer that breaks off in the middle.', cut: true, fault_until: file }];
    const { code, stdout, stderr } = await place.ask(steps);
    expect(code).toBe(7);
    expect(stdout).toMatch(/^A long[^\n]*\n$/);
    expect(stderr).toContain('the connection broke in the middle of it');
    writeFileSync(file, '');
    const again = await runFleet(['ask', '--continue', scriptText(answer('Now it works.'))], {
      env: place.env,
    });
    expect(again).toMatchObject({ code: 0, stdout: 'Now it works.\n' });
    expect(sentText(place.model.requests.at(-1))).toContain('This answer is incomplete');
  });

  it('is stopped by Ctrl-C before it has said anything', async () => {
    const asked = Promise.withResolvers<void>();
    const gone = Promise.withResolvers<void>();
    const silent = createServer((request, response) => {
      if (request.url !== '/api/chat') {
        const models = [{ name: 'mute:latest' }];
        return response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ models }));
      }
      response.once('close', () => gone.resolve());
      return asked.resolve();
    }).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const running = runFleet(['ask', '--url', url, 'hello'], { env: { ...place.env, FLEET_TEST_MARK: url } });
    await asked.promise;
    const pid = await until(
      async () => processWith(url),
      (found) => found !== undefined,
    );
    process.kill(pid ?? 0, 'SIGINT');
    expect(await running).toMatchObject({ code: 130 });
    await gone.promise;
    silent.close();
  });
});

/** The process that was started with this text in its environment. */
function processWith(text: string): number | undefined {
  return readdirSync('/proc')
    .map(Number)
    .find((pid) => {
      try {
        return (
          Number.isInteger(pid) &&
          readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`FLEET_TEST_MARK=${text}`)
        );
      } catch {
        return false;
      }
    });
}
