import { expect, it } from 'vitest';
import {
  answeredAlready,
  approvalId,
  fitAnswer,
  noApproval,
  parseApprovalId,
  questionFields,
  type ApprovalAnswer,
  type Question,
} from './approval.ts';

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

it('never chooses an answer to a question by itself', () => {
  expect(fail(asking({ colour: CHOICE }), PLAIN)).toMatchObject({
    code: 'INVALID_INPUT',
    message: expect.stringMatching(/--option .*blue, red/) as string,
    details: { field: 'option' },
  });
  const free = asking({ port: { type: 'string' } });
  expect(fail(free, PLAIN)).toMatchObject({ code: 'INVALID_INPUT', details: { field: 'answer' } });
  expect(fitAnswer(free, { ...PLAIN, decision: 'deny' })).toMatchObject({ decision: 'deny', option: null });
  expect(fitAnswer(free, { ...PLAIN, answer: '8080' })).toMatchObject({ answer: '8080', option: null });
  expect(fitAnswer(asking({}), PLAIN)).toEqual(PLAIN);
});

it('takes an option by its id or its name', () => {
  const options = [{ id: 'b', name: 'Blue', decision: 'allow' }] as const;
  const question = { ...asking({ colour: { oneOf: [{ const: 'b', title: 'Blue' }] } }), options };
  for (const option of ['b', 'Blue'])
    expect(fitAnswer(question, { ...PLAIN, option })).toMatchObject({ option: 'b' });
  expect(fail(question, { ...PLAIN, option: 'red' })).toMatchObject({ code: 'INVALID_INPUT' });
});

it('takes the first option of the decision, and refuses one that means the other', () => {
  const question: Question = {
    kind: 'permission',
    tool: 'Bash',
    input: {},
    options: [
      { id: 'once', name: 'Allow', decision: 'allow' },
      { id: 'never', name: 'Deny', decision: 'deny' },
    ],
  };
  expect(fitAnswer(question, { ...PLAIN, decision: 'deny' }).option).toBe('never');
  expect(fitAnswer({ ...question, options: [] }, PLAIN).option).toBeNull();
  expect(fail(question, { ...PLAIN, option: 'never' })).toMatchObject({
    code: 'INVALID_INPUT',
    message: 'The option "never" means deny, and the decision is allow.',
    details: { field: 'option' },
  });
  expect(fail(question, { ...PLAIN, option: 'later' })).toMatchObject({
    message: 'There is no option "later"; there are: once, never.',
    details: { field: 'option' },
  });
  expect(fail({ ...question, options: [] }, { ...PLAIN, option: 'later' })).toMatchObject({
    message: 'There is no option "later"; there are: none.',
  });
  expect(fail(question, { ...PLAIN, answer: 'words' })).toMatchObject({
    message: expect.stringMatching(/"Bash" .*"words"/) as string,
  });
});

it('has the fields of a form only for a question that comes with one', () => {
  const schema = { properties: { colour: CHOICE } };
  expect(questionFields({ kind: 'question', input: { schema } })).toHaveLength(1);
  expect(questionFields({ kind: 'permission', input: { schema } })).toEqual([]);
  for (const input of [{}, null, 'schema', undefined])
    expect(questionFields({ kind: 'question', input })).toEqual([]);
});

it('an id names the workspace and counts its questions', () => {
  expect(approvalId('0123abcd-ef', 12)).toBe('0123abcd-12');
  expect(parseApprovalId('0123abcd-12')).toEqual({ workspace: '0123abcd', number: 12 });
  for (const id of ['0123abcd-0', '0123abcd-', '0123abc-1', '0123abcg-1', 'x0123abcd-1', '0123abcd-1x', ''])
    expect(parseApprovalId(id)).toBeUndefined();
  expect(parseApprovalId('0123abcd-123456789')?.number).toBe(123_456_789);
  expect(parseApprovalId('0123abcd-1234567890')).toBeUndefined();
});

it('an id that is closed or unknown is named in the error', () => {
  expect(answeredAlready('a-1')).toMatchObject({
    code: 'CONFLICT',
    message: expect.stringContaining('"a-1"') as string,
    details: { field: 'id', reason: 'answered_already' },
  });
  expect(noApproval('a-1')).toMatchObject({
    code: 'NOT_FOUND',
    message: expect.stringContaining('"a-1"') as string,
    details: { field: 'id' },
  });
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
