import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { FLEET, runFleet } from '../support/fleets/fleet-process.ts';
import { signalFile, until } from '../support/fleets/fleet-under-test.ts';
import { scriptText } from '../support/model-server/model-script.ts';
import { sentText, sessionPlace, type SessionPlace } from './session-place.ts';

let place: SessionPlace;
beforeAll(async () => {
  place = await sessionPlace();
});
afterAll(() => place[Symbol.asyncDispose]());

const chat = (lines: readonly string[], ...args: string[]) =>
  runFleet(['chat', ...args], { env: place.env, stdin: `${lines.join('\n')}\n` });
const say = (text: string) => scriptText([{ text }]);

interface Listed {
  readonly id: string;
  readonly title: string;
  readonly messages: number;
}

async function conversations(): Promise<readonly Listed[]> {
  const { stdout } = await runFleet(['chat', 'list', '--json'], { env: place.env });
  return (JSON.parse(stdout) as { conversations: Listed[] }).conversations;
}

describe('fleet chat with a pipe', () => {
  it('answers each line with a model that has the tools of the orchestrator [SES-chat]', async () => {
    const { code, stdout, stderr } = await chat([
      scriptText([{ tool: 'list_agent_projects' }, { text: 'Setup and DataOne.' }]),
      say('You are welcome.'),
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/scripted:latest on ollama at .*, context 32768 tokens/);
    expect(stdout).toMatch(/✓ list_agent_projects \(\d+\.\d s\)\nSetup and DataOne\.\nYou are welcome\.\n/);
    const sent = sentText(place.model.requests.at(-1));
    expect(sent).toContain('create_agent');
    expect(sent).toContain('Development container for coding tasks');
  });

  it('ends with Ctrl-C, while it waits for a line and while it answers', async () => {
    const slow = scriptText([{ text: 'Slow words come here. ', hang: true, repeat: 4 }]);
    for (const [line, shown] of [
      ['', '/help'],
      [`${slow}\n`, 'Slow words'],
    ] as const) {
      const child = spawn(process.execPath, [FLEET, 'chat'], { env: place.env, stdio: 'pipe' });
      const ended = once(child, 'exit');
      let printed = '';
      child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
      child.stdin.write(line);
      await until(
        async () => printed,
        (text) => text.includes(shown),
      );
      child.kill('SIGINT');
      expect(await ended).toEqual([130, null]);
    }
  });

  it('has commands that begin with a slash', async () => {
    const file = signalFile(place.fleet, 'saved.md');
    const { stdout, stderr } = await chat([
      '/help',
      '/tools diff',
      '/model',
      '/context',
      say('hi'),
      '/usage',
      `/save ${file}`,
      '/model talker',
      '/model nope',
      '/contxt',
      '/quit',
      say('never'),
    ]);
    expect(stdout).toContain('/context');
    expect(stdout).toMatch(/show_agent_diff .*\n1 of \d+ tools/);
    expect(stdout).toMatch(/^window +32768 tokens, estimated$/m);
    expect(stdout).toMatch(/^tokens +110 in, 42 out$/m);
    expect(readFileSync(file, 'utf8')).toMatch(/^## You\n\n[^]*## Fleet\n\nhi\n$/);
    expect(stdout).toContain('talker:latest on ollama');
    expect(stdout).toContain('This model cannot call tools');
    expect(stderr).toContain('The model server does not have the model "nope".');
    expect(stderr).toContain('Did you mean /context?');
    expect(stdout).not.toContain('never');
  });

  it('continues after an answer that failed, and exits with its code', async () => {
    const { code, stdout, stderr } = await chat([scriptText([{ error: 'server' }]), say('Better now.')]);
    expect(code).toBe(7);
    expect(stderr).toContain('failed to answer (status 500)');
    expect(stdout).toContain('Better now.');
  });
});

describe('the commands of fleet chat', () => {
  it('save a conversation only to a new file', async () => {
    const file = signalFile(place.fleet, 'notes.md');
    writeFileSync(file, 'mine');
    const { code, stderr } = await chat([say('hi'), `/save ${file}`]);
    expect(code).toBe(4);
    expect(stderr).toContain('exists already. Give another name: /save FILE.');
    expect(readFileSync(file, 'utf8')).toBe('mine');
  });
});

describe('conversations', () => {
  it('are kept, resumed, shown and deleted [SES-resume]', async () => {
    const { conversation_id: id } = await place.askJson([{ text: 'I will remember blue.' }]);
    const path = join(place.fleet.home, 'conversations', `${id}.jsonl`);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await chat([say('You said blue.')], '--resume', id.slice(0, 8));
    expect(sentText(place.model.requests.at(-1))).toContain('I will remember blue.');
    const [newest] = await conversations();
    expect(newest).toMatchObject({ id, messages: 4 });
    const shown = await runFleet(['chat', 'show', id], { env: place.env });
    expect(shown.stdout).toMatch(/I will remember blue\.[^]*You said blue\./);
    expect(await runFleet(['chat', 'delete', id.slice(0, 8)], { env: place.env })).toMatchObject({ code: 0 });
    expect((await conversations()).map((each) => each.id)).not.toContain(id);
    expect(await runFleet(['chat', '--resume', id], { env: place.env })).toMatchObject({ code: 3 });
  });

  it('are open in one session at a time, and lose only the answer in mid-stream to kill -9', async () => {
    const file = signalFile(place.fleet, 'never');
    const steps = [
      { tool: 'list_agents' },
      { text: 'This is going to stop in the middle of it.', hold: file },
    ];
    const child = spawn(process.execPath, [FLEET, 'ask', scriptText(steps)], {
      env: place.env,
      stdio: 'pipe',
    });
    let stdout = '';
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    await until(
      async () => stdout,
      (text) => text.includes('This is'),
    );
    const [held] = await conversations();
    const id = held?.id ?? '';
    const second = await runFleet(['ask', '--resume', id, 'hello'], { env: place.env });
    expect(second.code).toBe(4);
    expect(second.stderr).toContain('is open in another session');
    expect(await runFleet(['chat', 'delete', id], { env: place.env })).toMatchObject({ code: 4 });
    child.kill('SIGKILL');
    await once(child, 'close');
    const after = await runFleet(['ask', '--resume', id, say('Here I am again.')], { env: place.env });
    expect(after).toMatchObject({ code: 0, stdout: 'Here I am again.\n' });
    const shown = await runFleet(['chat', 'show', id], { env: place.env });
    expect(shown.stdout).toContain('Result of `list_agents`');
    // The message, the call and its result, and what came after the kill.
    expect((await conversations()).find((each) => each.id === id)).toMatchObject({ messages: 5 });
  });

  it('are not made by a session in which nothing was said', async () => {
    const before = await conversations();
    await chat(['/help']);
    expect(await conversations()).toEqual(before);
  });
});

describe('a conversation and its context', () => {
  it('is summarised when it outgrows the context, and goes on [SES-summarised]', async () => {
    const long = 'word '.repeat(500);
    const { stdout, code } = await chat(
      [
        ...Array.from({ length: 4 }, (_, at) => `${long} ${say(`Answer ${at}.`)}`),
        say('Still here.'),
        '/context',
      ],
      '--context',
      '4096',
    );
    expect(code).toBe(0);
    expect(stdout).toContain('summarising its beginning');
    expect(stdout).toContain('Still here.');
    const last = sentText(place.model.requests.at(-1));
    expect(last).toContain('Summary of the conversation so far');
    expect(last).not.toContain('Answer 0.');
    for (const request of place.model.requests.slice(-5)) {
      expect(request.body).toMatchObject({ options: { num_ctx: 4_096 } });
      expect(sentText(request).length / 3.3).toBeLessThan(4_096);
    }
  });

  it('refuses one message that is too large for it [SES-overflow]', async () => {
    const before = place.model.requests.length;
    const { code, stdout } = await runFleet(['ask', '--json', '--context', '2048', '-'], {
      env: place.env,
      stdin: 'word '.repeat(5_000),
    });
    expect(code).toBe(8);
    expect(JSON.parse(stdout)).toMatchObject({
      error: { code: 'TOO_LARGE', details: { reason: 'CONTEXT_OVERFLOW', window: 2_048 } },
    });
    expect(place.model.requests).toHaveLength(before);
  });

  it('describes a tool with a whole schema also in a small context', async () => {
    await place.askJson(
      [{ tool: 'describe_tool', input: { name: 'create_agent' } }, { text: 'seen' }],
      '--context',
      '2048',
    );
    const sent = z
      .looseObject({ messages: z.array(z.looseObject({ role: z.string(), content: z.string() })) })
      .parse(place.model.requests.at(-1)?.body);
    const result = sent.messages.find(({ role }) => role === 'tool')?.content ?? '';
    expect(JSON.parse(result)).toMatchObject({
      tool: { name: 'create_agent', inputSchema: { required: ['project'], properties: { task: {} } } },
    });
  });

  it('finds tools in two steps when their definitions do not fit', async () => {
    const { calls, answer } = await place.askJson(
      [
        { tool: 'find_tools' },
        { tool: 'find_tools', input: { tool_agent: 'fleet' } },
        { tool: 'describe_tool', input: { name: 'list_agents' } },
        { tool: 'call_tool', input: { name: 'list_agents', arguments: { page: 1 } } },
        { tool: 'call_tool', input: { name: 'delete_agent', arguments: { agent_name: 'x' } } },
        { text: 'found' },
      ],
      '--context',
      '4096',
    );
    expect(calls.map(({ tool, failed }) => [tool, failed])).toEqual([
      ['find_tools', false],
      ['find_tools', false],
      ['describe_tool', false],
      ['call_tool', false],
      ['call_tool', true],
    ]);
    expect(answer).toBe('found');
    const sent = sentText(place.model.requests.at(-1));
    expect(sent).toContain('total_count');
    const named = (name: string): unknown => ({ function: { name } });
    expect(place.model.requests.at(-1)?.body).toMatchObject({
      tools: [named('find_tools'), named('describe_tool'), named('call_tool')],
    });
    expect(calls.at(-1)?.error).toContain('needs an approval');
  });
});

describe('the files of chats', () => {
  it('are in the home, for its owner alone', () => {
    const directory = join(place.fleet.home, 'conversations');
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(readdirSync(directory).every((name) => /\.(?:jsonl|lock)$/.test(name))).toBe(true);
    expect(existsSync(join(place.fleet.home, 'chat-history'))).toBe(false);
  });
});
