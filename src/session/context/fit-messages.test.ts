import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ModelMessage } from '../model/model.ts';
import { fitMessages } from './fit-messages.ts';
import { messagesTokens } from './tokens.ts';

const user = (text: string): ModelMessage => ({ role: 'user', text });
const said = (text: string): ModelMessage => ({ role: 'assistant', text, calls: [] });
const called = (id: string): ModelMessage => ({
  role: 'assistant',
  text: '',
  calls: [{ id, tool: 'look', arguments: {} }],
});
const result = (id: string, text: string): ModelMessage => ({
  role: 'tool',
  call_id: id,
  tool: 'look',
  text,
  failed: false,
});

describe('messages in a room of tokens', () => {
  it('stay as they are while they fit', () => {
    const messages = [user('hello'), said('hi')];
    expect(fitMessages(messages, 1_000)).toEqual({ kind: 'fits', messages, shortened: false });
  });

  it('lose the results of earlier rounds first, and never those of the newest', () => {
    const messages = [
      user('look twice'),
      called('1'),
      result('1', 'a'.repeat(6_000)),
      called('2'),
      result('2', 'b'.repeat(600)),
    ];
    const fitted = fitMessages(messages, 500);
    expect(fitted).toMatchObject({ kind: 'fits', shortened: true });
    const texts = fitted.kind === 'fits' ? fitted.messages.map(({ text }) => text) : [];
    expect(texts[2]).toMatch(/^a{200}… \[the rest was left out/);
    expect(texts[4]).toBe('b'.repeat(600));
  });

  it('are summarised up to a message of the person', () => {
    const old = Array.from({ length: 20 }, (_, at) => [user(`question ${at}`), said('x'.repeat(300))]).flat();
    const fitted = fitMessages([...old, user('and now?')], 800);
    expect(fitted.kind).toBe('summarise');
    const from = fitted.kind === 'summarise' ? fitted.old : 0;
    expect([...old, user('and now?')][from]?.role).toBe('user');
    expect(messagesTokens([...old, user('and now?')].slice(from))).toBeLessThanOrEqual(400);
  });

  it('share the room when several results of one round do not fit', () => {
    const messages = [
      user('look'),
      called('1'),
      result('1', 'a'.repeat(9_000)),
      result('2', 'b'.repeat(9_000)),
    ];
    const fitted = fitMessages(messages, 1_000);
    expect(fitted).toMatchObject({ kind: 'fits', shortened: true });
    if (fitted.kind === 'fits') expect(messagesTokens(fitted.messages)).toBeLessThanOrEqual(1_000);
  });

  it('share the room also after a summary, which is not summarised once more', () => {
    const newest = [user('look'), called('1'), result('1', 'a'.repeat(9_000))];
    const messages = [user('Summary of the conversation so far'), ...newest];
    expect(fitMessages(messages, 1_000)).toEqual({ kind: 'summarise', old: 1 });
    expect(fitMessages(messages, 1_000, 1)).toMatchObject({ kind: 'fits', shortened: true });
  });

  it('overflow when the newest message alone is too large', () => {
    expect(fitMessages([user('x'.repeat(10_000))], 500)).toEqual({ kind: 'overflow' });
  });

  it('fit whenever it is said that they fit', () => {
    const text = fc.integer({ min: 0, max: 3_000 }).map((length) => 'x'.repeat(length));
    const message = fc.oneof(
      text.map(user),
      text.map(said),
      text.map((each) => result('1', each)),
    );
    fc.assert(
      fc.property(fc.array(message, { minLength: 1, maxLength: 20 }), fc.nat(3_000), (messages, room) => {
        const fitted = fitMessages(messages, room);
        if (fitted.kind === 'fits') expect(messagesTokens(fitted.messages)).toBeLessThanOrEqual(room);
        if (fitted.kind === 'summarise') {
          expect(fitted.old).toBeGreaterThan(0);
          expect(fitted.old).toBeLessThan(messages.length);
        }
      }),
    );
  });
});
