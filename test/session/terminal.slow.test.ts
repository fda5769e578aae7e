import { execFileSync } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { displayWidth } from '../../src/cli/output/display-width.ts';
import { agentsOf, askAs, idleAgent, signalFile, until } from '../support/fleets/fleet-under-test.ts';
import { scriptText } from '../support/model-server/model-script.ts';
import { startModelServer } from '../support/model-server/model-server.ts';
import { ChatTerminal, SCRIPT } from './chat-terminal.ts';
import { sentText, sessionPlace, type SessionPlace } from './session-place.ts';

const CTRL_C = '\u0003';
const CTRL_D = '\u0004';

let place: SessionPlace;
beforeAll(async () => {
  place = await sessionPlace();
});
afterAll(() => place[Symbol.asyncDispose]());

describe.skipIf(SCRIPT === undefined)('fleet chat at a terminal (needs the program script)', () => {
  it('renders Markdown, and fits into 40 columns without colour', async () => {
    await using terminal = new ChatTerminal(40, { ...place.env, NO_COLOR: '1' });
    await terminal.sees('> ');
    terminal.type(
      `${scriptText([{ text: '# Result\n\n- **one** `two` and some more words that go on\n\nDone now.' }])}\r`,
    );
    await terminal.sees('Result');
    await terminal.sees('• one two and some more words that go on'.slice(0, 30));
    await terminal.sees('Done now.');
    const answer = terminal.all.slice(terminal.all.lastIndexOf('\nResult'));
    expect(answer).not.toContain('**');
    const lines = answer.slice(0, answer.indexOf('Done now.')).trim().split(/\r?\n/);
    expect(lines).toEqual(['Result', '', '• one two and some more words that go on']);
    for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(40);
    // Typed before the prompt, it could be lost while the terminal is switched to the line editor.
    await terminal.sees('> ');
    terminal.type(CTRL_D);
    await terminal.ended;
  });

  it('stops an answer with Ctrl-C and goes on; twice leaves', async () => {
    await using terminal = new ChatTerminal(80, place.env);
    await terminal.sees('> ');
    terminal.type(
      `${scriptText([{ text: 'Slow words come here. ', hold: '/nonexistent/file', repeat: 4 }])}\r`,
    );
    await terminal.sees('\nSlow words');
    terminal.type(CTRL_C);
    await terminal.sees('Stopped.');
    await terminal.sees('> ');
    terminal.type(`${scriptText([{ text: 'I am still here.' }])}\r`);
    await terminal.sees('I am still here.');
    await terminal.sees('> ');
    terminal.type(CTRL_C);
    await terminal.sees('Press Ctrl-C again to leave.');
    terminal.type(CTRL_C);
    await terminal.ended;
    expect(terminal.screen).toContain('fleet chat --resume');
  });

  it('is left with Ctrl-C while it waits for the model server at the start', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const asked = once(silent, 'request');
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    await using terminal = new ChatTerminal(80, { ...place.env, OLLAMA_HOST: url });
    await asked;
    terminal.type(CTRL_C);
    await terminal.sees('Stopped.');
    await terminal.ended;
    expect(terminal.all).not.toContain('error');
    silent.closeAllConnections();
    silent.close();
  });

  it('takes Ctrl-C at a question as a stop of the answer, on a line of its own', async () => {
    await using terminal = new ChatTerminal(100, { ...place.env, NO_COLOR: '1' });
    await terminal.sees('> ');
    terminal.type(`${scriptText([{ tool: 'delete_agent', input: { agent_name: 'nobody' } }])}\r`);
    await terminal.sees('Allow delete_agent? [y/N/a: always in this session] ');
    terminal.type(CTRL_C);
    await terminal.sees('\nStopped. Press Ctrl-C again to leave.');
    terminal.type(CTRL_C);
    await terminal.ended;
  });

  it('stays open when the model server is gone, and continues when it is back', async () => {
    const server = await startModelServer();
    await using terminal = new ChatTerminal(100, { ...place.env, OLLAMA_HOST: server.url });
    await terminal.sees('> ');
    terminal.type(`${scriptText([{ text: 'I am here.' }])}\r`);
    await terminal.sees('\nI am here.');
    await server[Symbol.asyncDispose]();
    for (const command of ['/new', '/model talker']) {
      await terminal.sees('> ');
      terminal.type(`${command}\r`);
      await terminal.sees('No model server answers');
    }
    await using _back = await startModelServer(Number(new URL(server.url).port));
    await terminal.sees('> ');
    terminal.type(`${scriptText([{ text: 'Back again.' }])}\r`);
    await terminal.sees('\nBack again.');
    await terminal.sees('> ');
    terminal.type('/usage\r');
    await terminal.sees('messages  2');
    await terminal.sees('> ');
    terminal.type(CTRL_D);
    await terminal.ended;
  });

  it('wraps what it prints about itself at 40 columns, also a long title', async () => {
    const { conversation_id } = await place.askJson([{ text: `A word of ${'a long title '.repeat(20)}` }]);
    await using terminal = new ChatTerminal(40, { ...place.env, NO_COLOR: '1' }, [
      'chat',
      '--resume',
      conversation_id,
    ]);
    await terminal.sees('> ');
    expect(terminal.all).toMatch(/Resuming "SCRIPT:/);
    const start = terminal.all.length;
    terminal.type('/help\r');
    await terminal.sees('Ctrl-D does the');
    await terminal.sees('> ');
    const lines = `${terminal.all.slice(0, start)}${terminal.all.slice(start).replace('/help', '')}`.split(
      '\r\n',
    );
    for (const line of lines) expect(displayWidth(stripVTControlCharacters(line))).toBeLessThanOrEqual(40);
    terminal.type(CTRL_D);
    await terminal.ended;
  });

  it('takes pasted lines as one message, and remembers what was typed', async () => {
    await using terminal = new ChatTerminal(80, place.env);
    await terminal.sees('> ');
    terminal.type(`\u001b[200~first line\nsecond line\n${scriptText([{ text: 'Read both.' }])}\u001b[201~\r`);
    await terminal.sees('Read both.');
    await terminal.sees('> ');
    expect(sentText(place.model.requests.at(-1))).toContain(String.raw`first line\nsecond line`);
    terminal.type(CTRL_D);
    await terminal.ended;
    expect(readFileSync(join(place.fleet.home, 'chat-history'), 'utf8')).toContain('second line');
  });

  it('asks before a destructive call, with what it would do', async () => {
    const ask = askAs(place.fleet.fleet);
    await idleAgent(ask, 'first');
    const remove = scriptText([
      { tool: 'delete_agent', input: { agent_name: 'first' } },
      { text: 'So be it.' },
    ]);
    await using terminal = new ChatTerminal(100, place.env);
    await terminal.sees('> ');
    terminal.type(`${remove}\r`);
    await terminal.sees('first is idle');
    await terminal.sees('Allow delete_agent?');
    terminal.type('n\r');
    await terminal.sees('So be it.');
    expect((await agentsOf(ask)).map(({ name }) => name)).toContain('first');
    await terminal.sees('> ');
    terminal.type(`${remove}\r`);
    await terminal.sees('Allow delete_agent?');
    terminal.type('y\r');
    await terminal.sees('So be it.');
    expect((await agentsOf(ask)).map(({ name }) => name)).not.toContain('first');
  });

  it('shows all arguments of a call before it asks', async () => {
    const note = `${'some words '.repeat(20)}and the end of them`;
    await using terminal = new ChatTerminal(40, { ...place.env, NO_COLOR: '1' });
    await terminal.sees('> ');
    terminal.type(`${scriptText([{ tool: 'delete_agent', input: { agent_name: 'nobody', note } }])}\r`);
    await terminal.sees('The model wants to call delete_agent:');
    await terminal.sees('the end of');
    await terminal.sees('Allow delete_agent?');
  });

  it('takes what is typed before a question for the next message, and not for an answer', async () => {
    const shown = signalFile(place.fleet, `typed-${randomUUID()}`);
    const call = { tool: 'delete_agent', input: { agent_name: 'nobody' } };
    await using terminal = new ChatTerminal(100, { ...place.env, NO_COLOR: '1' });
    await terminal.sees('> ');
    terminal.type(`${scriptText([{ text: 'One moment.', hold: shown, ...call }, { text: 'So be it.' }])}\r`);
    await terminal.sees('\nOne');
    terminal.type('yes\r');
    await terminal.sees('yes');
    writeFileSync(shown, '');
    await terminal.sees('Allow delete_agent? [y/N/a: always in this session] ');
    terminal.type('n\r');
    await terminal.sees('The user did not allow delete_agent.');
    await terminal.sees('So be it.');
    await terminal.sees('yes');
    await until(
      async () => sentText(place.model.requests.at(-1)),
      (sent) => sent.includes('"content":"yes"'),
    );
  });

  it('does not take it for an answer in fleet ask either', async () => {
    const shown = signalFile(place.fleet, `typed-${randomUUID()}`);
    const call = { tool: 'delete_agent', input: { agent_name: 'nobody' } };
    const message = scriptText([{ text: 'One moment.', hold: shown, ...call }, { text: 'So be it.' }]);
    await using terminal = new ChatTerminal(100, { ...place.env, NO_COLOR: '1' }, ['ask', message]);
    await terminal.sees('One');
    terminal.type('yes\r');
    await terminal.sees('yes');
    writeFileSync(shown, '');
    await terminal.sees('Allow delete_agent? [y/N/a: always in this session] ');
    terminal.type('n\r');
    await terminal.sees('The user did not allow delete_agent.');
    await terminal.sees('So be it.');
    await terminal.ended;
  });

  it('takes lines that end with a backslash also when they come at once', async () => {
    await using terminal = new ChatTerminal(80, place.env);
    await terminal.sees('> ');
    terminal.type(`first line\\\rsecond line\\\r${scriptText([{ text: 'Read all.' }])}\r`);
    await terminal.sees('\nRead all.');
    expect(sentText(place.model.requests.at(-1))).toContain(String.raw`first line\nsecond line\nSCRIPT`);
  });
});

const canMount = process.platform === 'linux' && process.getuid?.() === 0 && mounts();

describe.skipIf(!canMount)('a full disk (skipped unless a file system can be mounted)', () => {
  it('costs the conversation a sentence and not the session', async () => {
    const directory = join(place.fleet.home, 'conversations');
    execFileSync('mkdir', ['-p', directory]);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', directory]);
    try {
      const { code, stdout, stderr } = await place.ask([{ text: 'word ', repeat: 40_000 }]);
      expect(code).toBe(0);
      expect(stdout).toContain('word word');
      expect(stderr).toContain('The conversation is no longer saved: The disk is full');
      expect(stderr).toContain('The session continues.');
    } finally {
      execFileSync('umount', [directory]);
    }
  });
});

describe.skipIf(!canMount)('a disk that is full from the start (skipped in the same places)', () => {
  it('has no empty conversation afterwards', async () => {
    const directory = join(place.fleet.home, 'conversations');
    execFileSync('mkdir', ['-p', directory]);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', directory]);
    try {
      const filler = join(directory, 'filler');
      execFileSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=64k', 'count=1'], { stdio: 'ignore' });
      const { code, stdout, stderr } = await place.ask([{ text: 'Here.' }]);
      expect({ code, stdout }).toEqual({ code: 0, stdout: 'Here.\n' });
      expect(stderr).toContain('The conversation is no longer saved: The disk is full');
      expect(readdirSync(directory)).toEqual(['filler']);
    } finally {
      execFileSync('umount', [directory]);
    }
  });
});

/** A container may be root and still not mount anything. */
function mounts(): boolean {
  try {
    execFileSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
