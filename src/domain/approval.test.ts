import { expect, it } from 'vitest';
import { fitAnswer, type ApprovalAnswer, type Question } from './approval.ts';

const PLAIN: ApprovalAnswer = { decision: 'allow', option: null, answer: null, note: null };
const CHOICE = { enum: ['blue', 'red'] };

it.each(['permission', 'tool_call'] as const)('takes no words for a %s', (kind) => {
  const options = [{ id: 'once', name: 'Allow', decision: 'allow' }] as const;
  const question: Question = { kind, tool: 'Bash', input: {}, options };
  expect(fitAnswer(question, PLAIN)).toMatchObject({ option: 'once' });
  expect(fail(question, { ...PLAIN, answer: 'foo' })).toMatchObject({
    code: 'INVALID_INPUT',
    details: { field: 'answer' },
  });
});

it('asks for words where a plain yes would say nothing', () => {
  const free = asking({ port: { type: 'string' } });
  expect(fail(free, PLAIN)).toMatchObject({ code: 'INVALID_INPUT', details: { field: 'answer' } });
  expect(fitAnswer(free, { ...PLAIN, decision: 'deny' })).toMatchObject({ decision: 'deny' });
  expect(fitAnswer(free, { ...PLAIN, answer: '8080' })).toMatchObject({ answer: '8080', option: null });
  expect(fitAnswer(asking({}), PLAIN)).toEqual(PLAIN);
});

it('takes words that name an option for it, and others only where there is a field for them', () => {
  const closed = asking({ colour: CHOICE });
  expect(fitAnswer(closed, { ...PLAIN, answer: 'red' })).toMatchObject({ option: 'red', answer: null });
  expect(fail(closed, { ...PLAIN, answer: 'green' })).toMatchObject({
    code: 'INVALID_INPUT',
    message: expect.stringContaining('blue, red'),
  });
  const open = asking({ colour: CHOICE, other: { type: 'string' } });
  expect(fitAnswer(open, { ...PLAIN, answer: 'green' })).toMatchObject({ option: null, answer: 'green' });
});

function asking(properties: Readonly<Record<string, object>>): Question {
  const options = 'colour' in properties ? CHOICE.enum : [];
  return {
    kind: 'question',
    tool: 'Which one?',
    input: { message: 'Which one?', schema: { type: 'object', properties } },
    options: options.map((id) => ({ id, name: id, decision: 'allow' })),
  };
}

function fail(question: Question, answer: ApprovalAnswer): unknown {
  try {
    return fitAnswer(question, answer);
  } catch (thrown) {
    return thrown;
  }
}
