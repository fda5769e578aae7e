import { describe, expect, it } from 'vitest';
import { parseArguments } from './call-arguments.ts';
import { callInText } from './call-in-text.ts';
import { RepeatWatch } from './repeat-watch.ts';

describe('the arguments of a call', () => {
  it.each([
    [{ a: 1 }, { a: 1 }],
    ['{"a":1}', { a: 1 }],
    ['"{\\"a\\":1}"', { a: 1 }],
    ['', {}],
    [null, {}],
    [undefined, {}],
  ])('%j are %j', (given, expected) => {
    expect(parseArguments(given)).toEqual({ arguments: expected });
  });

  it.each([
    ['{"a":', /^are not valid JSON/],
    ['[1]', /^must be an object, not a list$/],
    [7, /^must be an object, not a number$/],
    ['null', /^must be an object, not null$/],
  ])('%j are refused', (given, problem) => {
    expect(parseArguments(given)).toEqual({ problem: expect.stringMatching(problem) as string });
  });
});

describe('a call that is printed as text', () => {
  const find = (text: string) => callInText(text, { id: 'x', isTool: (name) => name === 'list_agents' });
  const call = { id: 'x', tool: 'list_agents', arguments: { page: 1 } };

  it.each([
    '{"name": "list_agents", "arguments": {"page": 1}}',
    ' {"tool": "list_agents", "input": {"page": 1}}\n',
    '{"type": "function", "name": "list_agents", "parameters": {"page": 1}}',
    '{"function": {"name": "list_agents", "arguments": {"page": 1}}}',
    '```json\n{"name": "list_agents", "arguments": {"page": 1}}\n```',
    '<tool_call>\n{"name": "list_agents", "arguments": {"page": 1}}\n</tool_call>',
  ])('is found in %j', (text) => {
    expect(find(text)).toEqual(call);
  });

  it.each([
    'I would call {"name": "list_agents", "arguments": {}}',
    '{"name": "list_agents", "arguments": {}} and then?',
    '{"name": "list_agents", "arguments": {}}\n{"name": "list_agents", "arguments": {}}',
    '{"name": "other", "arguments": {}}',
    '{"name": "list_agents"}',
    '{"name": "list_agents", "arguments": {}, "more": 1}',
    'plain words',
    '',
  ])('is not seen in %j', (text) => {
    expect(find(text)).toBeUndefined();
  });
});

describe('rounds that repeat', () => {
  const same = [{ tool: 'list_agents', arguments: {}, result: 'none' }];

  it('are noticed at the third time in a row', () => {
    const watch = new RepeatWatch();
    expect([watch.isStuck(same), watch.isStuck(same), watch.isStuck(same)]).toEqual([false, false, true]);
  });

  it('are other rounds when the result differs', () => {
    const watch = new RepeatWatch();
    watch.isStuck(same);
    watch.isStuck(same);
    expect(watch.isStuck([{ tool: 'list_agents', arguments: {}, result: 'one' }])).toBe(false);
    expect(watch.isStuck(same)).toBe(false);
  });

  it('may wait as often as they like', () => {
    const watch = new RepeatWatch();
    const wait = [{ tool: 'wait_for_agents', arguments: {}, result: 'timed out' }];
    expect(Array.from({ length: 9 }, () => watch.isStuck(wait))).not.toContain(true);
  });
});
