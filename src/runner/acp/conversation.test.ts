import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { LogDetail } from '../../domain/conversation/log-detail.ts';
import type { DriverSink } from '../programs/driver.ts';
import { Conversation } from './conversation.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function speaking() {
  const written: [text: string, continues: boolean][] = [];
  const sink: Pick<DriverSink, 'log' | 'progress'> = {
    log: (_level, _type, message, detail?: LogDetail) => {
      const isSpeech = detail?.of === 'message' || detail?.of === 'thought';
      written.push([message, isSpeech && detail.continues === true]);
    },
    progress: () => {},
  };
  const conversation = new Conversation(sink as DriverSink);
  const say = (text: string, messageId = '1'): void =>
    conversation.update({
      sessionUpdate: 'agent_message_chunk',
      messageId,
      content: { type: 'text', text },
    });
  return { conversation, written, say };
}

it('writes a message that is said at once as one entry', () => {
  const { conversation, written, say } = speaking();
  say('one\n');
  say('two');
  conversation.flush();
  vi.runAllTimers();
  expect(written).toEqual([['one\ntwo', false]]);
});

it('writes the whole lines of a long message while it is said, and remembers all of it', () => {
  const { conversation, written, say } = speaking();
  say('one\ntw');
  vi.advanceTimersByTime(1_000);
  expect(written).toEqual([['one\n', false]]);
  say('o\nthree\nfo');
  vi.advanceTimersByTime(1_000);
  say('ur');
  conversation.flush();
  expect(written).toEqual([
    ['one\n', false],
    ['two\nthree\n', true],
    ['four', true],
  ]);
  expect(conversation.takeLastMessage()).toBe('one\ntwo\nthree\nfour');
});

it('writes no part of a line, and nothing that is blank', () => {
  const { conversation, written, say } = speaking();
  say('\n\n');
  vi.advanceTimersByTime(1_000);
  say('half a line');
  vi.advanceTimersByTime(5_000);
  expect(written).toEqual([]);
  say('another', '2');
  conversation.flush();
  expect(written).toEqual([
    ['\n\nhalf a line', false],
    ['another', false],
  ]);
});
