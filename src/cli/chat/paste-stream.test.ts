import { describe, expect, it } from 'vitest';
import { PASTED_BREAK, pasteStream, withBreaks } from './paste-stream.ts';

function through(chunks: readonly string[], takeInterrupt?: () => boolean): string {
  const stream = pasteStream(takeInterrupt);
  for (const chunk of chunks) stream.write(chunk);
  return String(stream.read() ?? '');
}

describe('pasted text', () => {
  it('has its line breaks replaced, and only it', () => {
    const seen = through(['a\r\u001b[200~one\r\ntwo\nthree\u001b[201~\r']);
    expect(seen).toBe(`a\rone${PASTED_BREAK}two${PASTED_BREAK}three\r`);
    expect(withBreaks(`one${PASTED_BREAK}two`)).toBe('one\ntwo');
  });

  it('may come in pieces, also of its marks', () => {
    expect(through(['x\u001b[20', '0~one\n', 'two\u001b[', '201~y'])).toBe(`xone${PASTED_BREAK}twoy`);
  });

  it('lets keys pass, such as a lone Escape and the arrows', () => {
    expect(through(['\u001b', '\u001b[A'])).toBe('\u001b\u001b[A');
  });

  it('drops a Ctrl-C that was dealt with', () => {
    expect(through(['a\u0003b'], () => true)).toBe('ab');
    expect(through(['a\u0003b'], () => false)).toBe('a\u0003b');
  });
});
