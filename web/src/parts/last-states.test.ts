import { expect, it } from 'vitest';
import { lastStates } from './last-states.ts';

it('shows the last state of a line that was printed over', () => {
  expect(lastStates('one\r\ntwo\nload 10%\rload 50%\rdone\r\nend\r')).toBe('one\ntwo\ndone\nend');
  expect(lastStates('\r\r')).toBe('');
  expect(lastStates('no return')).toBe('no return');
});

it('keeps colours that were set before', () => {
  expect(lastStates('\u001B[31m10%\r20%\u001B[0m')).toBe('\u001B[31m20%\u001B[0m');
});

it('takes a million of them in one line', () => {
  expect(lastStates(`${'x\r'.repeat(1_000_000)}end`)).toBe('end');
});
