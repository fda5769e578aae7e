import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ConversationEntry, KeptMessage } from './conversation-entry.ts';
import { ConversationFile, conversationPath } from './conversation-file.ts';
import { ConversationStore } from './conversation-store.ts';
import { Conversation } from './conversation.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'fleet-conversations-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const at = '2027-01-01T00:00:00.000Z';
const entry = (message: KeptMessage): ConversationEntry => ({ type: 'message', at, message });
const user = (text: string): ConversationEntry => entry({ role: 'user', text });

function kept(...entries: readonly ConversationEntry[]): string {
  using file = ConversationFile.create(home);
  for (const each of entries) file.append(each);
  return file.id;
}

describe('a conversation on disk', () => {
  it('is only for its owner, and has one entry on each line', () => {
    const id = kept(user('hello'));
    const path = conversationPath(home, id);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, 'utf8').trim().split('\n')).toHaveLength(2);
    using file = ConversationFile.open(home, id);
    expect(new Conversation(file.entries).messages).toEqual([{ role: 'user', text: 'hello' }]);
  });

  it('loses half a line of a process that was killed, and nothing else', () => {
    const id = kept(user('hello'));
    appendFileSync(conversationPath(home, id), '{"type":"message","at":"2027-01-01T00:00');
    {
      using file = ConversationFile.open(home, id);
      file.append(user('again'));
    }
    using file = ConversationFile.open(home, id);
    expect(new Conversation(file.entries).messages.map(({ text }) => text)).toEqual(['hello', 'again']);
  });

  it('is not read past a line that is damaged', () => {
    const id = kept(user('hello'));
    appendFileSync(conversationPath(home, id), 'garbage\n');
    using file = ConversationFile.open(home, id);
    file.append(user('again'));
    expect(new ConversationStore(home).show(id).history.map(({ text }) => text)).toEqual(['hello', 'again']);
  });

  it('is open in one session at a time', () => {
    const id = kept(user('hello'));
    using _file = ConversationFile.open(home, id);
    expect(() => ConversationFile.open(home, id)).toThrow('is open in another session');
    expect(() => new ConversationStore(home).delete(id)).toThrow('is open in another session');
  });

  it.each(['../../token', 'nope', ''])('does not exist under the name %j', (id) => {
    expect(() => ConversationFile.open(home, id)).toThrow('There is no conversation');
    expect(() => new ConversationStore(home).show(id)).toThrow('There is no conversation');
    expect(() => new ConversationStore(home).delete(id)).toThrow('There is no conversation');
  });
});

describe('a place that cannot have conversations', () => {
  it('is named in the error, and nothing is left there', () => {
    writeFileSync(join(home, 'conversations'), 'in the way');
    expect(() => ConversationFile.create(home)).toThrow(/conversations" cannot be used for conversations: /);
    expect(readdirSync(home)).toEqual(['conversations']);
  });
});

describe('the conversations of a home', () => {
  it('are listed with the newest first, found by their beginning, and deleted', () => {
    const store = new ConversationStore(home);
    expect(store.list()).toEqual([]);
    const first = kept(user('one\ntwo'));
    const second = kept({ ...user('later'), at: '2028-01-01T00:00:00.000Z' });
    expect(store.list()).toMatchObject([
      { id: second, title: 'later', messages: 1 },
      { id: first, title: 'one two', messages: 1 },
    ]);
    expect(store.resolve(first.slice(0, 8))).toBe(first);
    store.delete(first);
    expect(store.list().map(({ id }) => id)).toEqual([second]);
  });
});

describe('what the model is sent of a conversation', () => {
  const call = { id: 'c1', tool: 'look', arguments: {} };

  it('has a result for a call of a session that died', () => {
    const conversation = new Conversation([
      user('look'),
      entry({ role: 'assistant', text: '', calls: [call] }),
    ]);
    expect(conversation.forModel().at(-1)).toMatchObject({ role: 'tool', call_id: 'c1', failed: true });
  });

  it('has the arguments of a call as an object, also when the model sent them as text', () => {
    const given = ['{"at":"a"}', { at: 'b' }, '{"broken'];
    const calls = given.map((each, index) => ({ ...call, id: `c${index}`, arguments: each }));
    const conversation = new Conversation([entry({ role: 'assistant', text: '', calls })]);
    expect(conversation.forModel()[0]).toMatchObject({
      calls: [{ arguments: { at: 'a' } }, { arguments: { at: 'b' } }, { arguments: '{"broken' }],
    });
  });

  it('begins with the summary, and leaves out what that stands for', () => {
    const conversation = new Conversation([
      user('old'),
      entry({ role: 'assistant', text: 'older answer', calls: [] }),
      user('new'),
      { type: 'summary', at, text: 'they said hello', covers: 2 },
    ]);
    expect(conversation.forModel().map(({ text }) => text)).toEqual([
      'Summary of the conversation so far:\nthey said hello',
      'new',
    ]);
    // The summary itself stands for two, and the next message is the third.
    expect(conversation.keptBefore(2)).toBe(3);
  });

  it('adds up what its answers used', () => {
    const usage = { type: 'usage', at, model: 'm', prompt: 10, answer: 2, took_ms: 5 } as const;
    expect(new Conversation([usage, usage]).usage).toEqual({
      prompt: 20,
      answer: 4,
      took_ms: 10,
      answers: 2,
    });
  });
});
