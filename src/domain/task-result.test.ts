import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../test/support/any-character.ts';
import { briefEnd, briefResult, firstBytes, LastLines, RESULT_BYTES, taskResult } from './task-result.ts';
import { TASK_ENDS } from './task.ts';

const line = fc.string({ unit: anyCharacter, maxLength: 3000 }).map((text) => text.replaceAll('\n', ' '));

describe('the result of a task', () => {
  it('is what was said last, and the reason first when the task did not complete', () => {
    const output = ' all done\n';
    expect(taskResult({ state: 'complete', reason: 'it ended', output })).toBe('all done');
    expect(taskResult({ state: 'failed', reason: 'exit code 1', output })).toBe('exit code 1\nall done');
    expect(taskResult({ state: 'canceled', reason: 'on request' })).toBe('on request');
    expect(taskResult({ state: 'complete', reason: 'it ended' })).toBeNull();
  });

  it('is never larger than its limit, and never cuts a character in two', () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), (lines) => {
        const output = lines.join('\n');
        const result = taskResult({ state: 'failed', reason: 'exit code 1', output }) ?? '';
        expect(Buffer.byteLength(result)).toBeLessThanOrEqual(RESULT_BYTES);
        expect(result.isWellFormed()).toBe(true);
      }),
    );
  });
});

describe('a result in short', () => {
  it('is its last line, and the reason first when the task did not complete', () => {
    expect(briefResult('complete', 'one\ntwo\n\n')).toBe('two');
    expect(briefResult('complete', 'all done')).toBe('all done');
    expect(briefResult('failed', 'exit code 1\none\ntwo')).toBe('exit code 1 … two');
    expect(briefResult('failed', 'exit code 1')).toBe('exit code 1');
    expect(briefResult('complete', 'x'.repeat(500))).toHaveLength(160);
    expect(briefResult('complete', 'one\n two \n  \n')).toBe('two');
    expect(briefResult('complete', ' \n')).toBe('');
  });

  it('of an end that has no result is none', () => {
    expect(briefEnd(null)).toBeNull();
    expect(briefEnd({ state: 'complete', result: null })).toEqual({ state: 'complete', result: null });
    expect(briefEnd({ state: 'complete', result: 'one\ntwo' })).toEqual({ state: 'complete', result: 'two' });
  });

  it('stays as it is when it is shortened again', () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 4 }), fc.constantFrom(...TASK_ENDS), (lines, state) => {
        const brief = briefResult(state, lines.join('\n'));
        expect(briefResult(state, brief)).toBe(brief);
      }),
    );
  });
});

describe('the beginning of a text', () => {
  it('has at most so many bytes, with a mark where it was cut', () => {
    expect(firstBytes('123456', 6)).toBe('123456');
    expect(firstBytes('1234567', 6)).toBe('123…');
    expect(firstBytes('12ü4567', 6)).toBe('12…');
    expect(firstBytes('\uFFFDa😀2345', 10)).toBe('\uFFFDa…');
  });
});

describe('the last lines', () => {
  it('are whole lines, but for one that is too long itself', () => {
    const last = new LastLines();
    for (const each of ['first', 'a'.repeat(2_000), 'b'.repeat(2_000)]) last.push(each);
    expect(last.text).toBe(`first\n${'a'.repeat(2_000)}\n${'b'.repeat(2_000)}`);
    last.push('c'.repeat(87));
    expect(last.text).toBe(`first\n${'a'.repeat(2_000)}\n${'b'.repeat(2_000)}\n${'c'.repeat(87)}`);
    last.push('d');
    expect(last.text).toBe(`${'a'.repeat(2_000)}\n${'b'.repeat(2_000)}\n${'c'.repeat(87)}\nd`);
    last.push('e'.repeat(RESULT_BYTES));
    expect(last.text).toBe('e'.repeat(RESULT_BYTES - 1));
    last.push(`ä${'f'.repeat(RESULT_BYTES - 2)}`);
    expect(last.text).toBe('f'.repeat(RESULT_BYTES - 2));
  });

  it('are the end of what was printed, within the limit', () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 20 }), (lines) => {
        const last = new LastLines();
        for (const each of lines) last.push(each);
        expect(Buffer.byteLength(last.text)).toBeLessThanOrEqual(RESULT_BYTES);
        expect(last.text.isWellFormed()).toBe(true);
        if (Buffer.byteLength(lines.join('\n')) < RESULT_BYTES) expect(last.text).toBe(lines.join('\n'));
        else expect(lines.join('\n')).toContain(last.text.slice(-20));
      }),
    );
  });
});
