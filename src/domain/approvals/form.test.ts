import { describe, expect, it } from 'vitest';
import { exampleOf, typeText } from './form-text.ts';
import { answerableAlone, formFields, type FormField } from './form.ts';

const NONE = { required: false, label: '', choices: [], min: -Infinity, max: Infinity };

describe('the fields of a form', () => {
  it.each<[string, object, Partial<FormField>]>([
    ['text', { type: 'string' }, { type: 'text' }],
    ['text by default', {}, { type: 'text' }],
    ['a text of some length', { minLength: 2, maxLength: 5 }, { type: 'text', min: 2, max: 5 }],
    ['a whole number', { type: 'integer', minimum: 1 }, { type: 'integer', min: 1 }],
    ['a number', { type: 'number', maximum: 9, maxLength: 2 }, { type: 'number', max: 9 }],
    ['yes or no', { type: 'boolean' }, { type: 'boolean' }],
    ['a limit that is no number', { type: 'number', maximum: '9' }, { type: 'number' }],
    ['a title', { title: 'Name' }, { type: 'text', label: 'Name' }],
    ['a title and more', { title: 'Name', description: 'of it' }, { type: 'text', label: 'Name: of it' }],
    ['a title that is no text', { title: 7 }, { type: 'text', label: '' }],
    ['a choice', { enum: ['a', 2] }, { type: 'choice', choices: [choice('a'), choice(2)] }],
    [
      'a choice with names',
      { oneOf: [{ const: 'a', title: 'The first' }, { const: 'b' }, { title: 'no value' }, 'no choice'] },
      { type: 'choice', choices: [choice('a', 'The first'), choice('b')] },
    ],
    ['a choice of any', { anyOf: [{ const: 'a' }] }, { type: 'choice', choices: [choice('a')] }],
    [
      'some choices',
      { type: 'array', items: { enum: ['a', 'b'] }, minItems: 1, maxItems: 2 },
      { type: 'choices', choices: [choice('a'), choice('b')], min: 1, max: 2 },
    ],
    ['some texts', { type: 'array', items: { type: 'string' } }, { type: 'choices' }],
    ['a list of nothing', { type: 'array' }, { type: 'text' }],
    ['items of no list', { type: 'number', items: { enum: ['a'] } }, { type: 'number' }],
  ])('%s: %o', (_, schema, expected) => {
    expect(formFields({ properties: { field: schema } })).toEqual([{ name: 'field', ...NONE, ...expected }]);
  });

  it('are required where the form says so, and only objects are fields', () => {
    const properties = { one: {}, two: {}, three: 'no field', four: null, five: [] };
    expect(formFields({ properties, required: ['two'] })).toMatchObject([
      { name: 'one', required: false },
      { name: 'two', required: true },
    ]);
    expect(formFields({ properties: { one: {} }, required: 'one' })).toMatchObject([{ required: false }]);
  });

  it.each([undefined, null, 'text', [], {}, { properties: null }, { properties: [] }])(
    'are none in %o',
    (schema) => {
      expect(formFields(schema)).toEqual([]);
    },
  );

  it('that a single value can answer are all optional ones, or the only required one', () => {
    const [a, b] = [field({ name: 'a' }), field({ name: 'b' })];
    const required = field({ name: 'r', required: true });
    expect(answerableAlone([a, b])).toEqual([a, b]);
    expect(answerableAlone([a, required])).toEqual([required]);
    expect(answerableAlone([required, required])).toEqual([]);
  });
});

describe('a field in words', () => {
  it.each<[Partial<FormField>, string]>([
    [{ type: 'text' }, 'text'],
    [{ type: 'text', min: 2, max: 5 }, 'text (at least 2, at most 5 characters)'],
    [{ type: 'text', max: 5 }, 'text (at most 5 characters)'],
    [{ type: 'integer', min: 1 }, 'a whole number (at least 1)'],
    [{ type: 'number' }, 'a number'],
    [{ type: 'number', max: 9 }, 'a number (at most 9)'],
    [{ type: 'boolean' }, 'yes or no'],
    [{ type: 'choice', choices: [choice('a'), choice('b')] }, 'one of: a, b'],
    [{ type: 'choices', choices: [choice('a'), choice('b')], max: 1 }, 'any of: a, b (at most 1)'],
    [{ type: 'choices' }, 'a list of texts'],
  ])('%o: %s', (given, text) => {
    expect(typeText(field(given))).toBe(text);
  });
});

describe('an example of an answer', () => {
  it('has a value of the right type for each field', () => {
    const fields = [
      field({ name: 'text' }),
      field({ name: 'whole', type: 'integer' }),
      field({ name: 'number', type: 'number' }),
      field({ name: 'yes', type: 'boolean' }),
      field({ name: 'one', type: 'choice', choices: [choice('a'), choice('b')] }),
      field({ name: 'some', type: 'choices', choices: [choice(2)] }),
      field({ name: 'texts', type: 'choices' }),
    ];
    expect(JSON.parse(exampleOf(fields))).toEqual({
      text: 'TEXT',
      whole: 1,
      number: 1,
      yes: true,
      one: 'a',
      some: [2],
      texts: ['TEXT'],
    });
    expect(exampleOf(fields.slice(0, 2))).toBe('{"text": "TEXT", "whole": 1}');
  });

  it('has the required fields only, where there are some', () => {
    expect(exampleOf([field({ name: 'a' }), field({ name: 'b', required: true })])).toBe('{"b": "TEXT"}');
  });
});

function field(given: Partial<FormField>): FormField {
  return { name: 'field', type: 'text', ...NONE, ...given };
}

function choice(value: string | number, name = String(value)) {
  return { id: String(value), name, value };
}
