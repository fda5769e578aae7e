import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { Output } from '../output/output.ts';
import { AnswerPrinter } from './answer-printer.ts';

const HOSTILE = 'half\u001b]0;title\u0007 \u001b[31mred\u202e';
const SAFE = String.raw`half\x1b]0;title\x07 \x1b[31mred\u202e`;

describe('what is printed of an answer at a terminal', () => {
  it('has no control characters of a tool, a server or a model in it', () => {
    const stream = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY: true, columns: 400 });
    const out = new Output(stream, { NO_COLOR: '1' }, () => {});
    using printer = new AnswerPrinter({ out, side: out, sideShown: true });
    const call = { id: '1', tool: `tool ${HOSTILE}` } as const;
    printer.show({ type: 'call', ...call, arguments: { of: `argument ${HOSTILE}` } });
    printer.show({ type: 'progress', ...call, message: `progress ${HOSTILE}` });
    printer.show({ type: 'result', ...call, failed: true, took_ms: 5, text: `result ${HOSTILE}` });
    printer.show({ type: 'notice', text: `notice ${HOSTILE}` });
    printer.show({ type: 'thinking', text: `thinking ${HOSTILE}` });
    printer.show({ type: 'text', text: `text ${HOSTILE}` });
    printer.finish();
    const printed = String(stream.read());
    for (const kind of ['tool', 'argument', 'progress', 'notice', 'thinking', 'text'])
      expect(printed).toContain(`${kind} ${SAFE}`);
    // eslint-disable-next-line no-control-regex -- they are what must not be there
    expect(printed).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  });
});
