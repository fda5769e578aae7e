import { assert, constantFrom, jsonValue, oneof, option as optional, property, string } from 'fast-check';
import { expect, it } from 'vitest';
import { FleetError } from '../values/errors.ts';
import { fillForm } from './fill-form.ts';
import { formFields } from './form.ts';

const COLOUR = { type: 'string', enum: ['red', 'green'] };
const TEXT = { type: 'string' };

/** Forms by name: the properties, and the names of the required ones. */
const FORMS = {
  colour: form({ colour: COLOUR }, 'colour'),
  reason: form({ colour: COLOUR, why: TEXT }, 'colour'),
  open: form({ colour: COLOUR, why: TEXT }),
  port: form({ port: { type: 'integer', minimum: 1, maximum: 65_535 } }, 'port'),
  ratio: form({ ratio: { type: 'number' } }, 'ratio'),
  sure: form({ sure: { type: 'boolean' } }, 'sure'),
  two: form({ a: TEXT, b: TEXT }, 'a', 'b'),
  mixed: form({ port: { type: 'integer' }, sure: { type: 'boolean' }, colour: COLOUR, note: TEXT }, 'port'),
  twice: form({ first: COLOUR, second: COLOUR }),
  titled: form(
    {
      level: {
        oneOf: [
          { const: 1, title: 'Low' },
          { const: 2, title: 'High' },
        ],
      },
    },
    'level',
  ),
  several: form({
    parts: { type: 'array', maxItems: 2, items: { anyOf: [{ const: 'x' }, { const: 'y' }, { const: 'z' }] } },
  }),
  short: form({ name: { type: 'string', minLength: 2, maxLength: 3 } }, 'name'),
  tags: form({ tags: { type: 'array', items: TEXT } }, 'tags'),
  note: form({ note: TEXT }, 'note'),
  second: form({ first: COLOUR, second: COLOUR }, 'second'),
  none: form({}),
};
type FormName = keyof typeof FORMS;

it.each<{ of: FormName; option?: string; answer?: string; content: object }>([
  { of: 'colour', option: 'green', content: { colour: 'green' } },
  { of: 'colour', answer: 'green', content: { colour: 'green' } },
  { of: 'reason', answer: 'red', content: { colour: 'red' } },
  { of: 'reason', option: 'red', answer: 'it is warm', content: { colour: 'red', why: 'it is warm' } },
  { of: 'reason', answer: '{"colour": "red", "why": null}', content: { colour: 'red' } },
  { of: 'open', answer: 'blue', content: { why: 'blue' } },
  { of: 'open', answer: 'red', content: { colour: 'red' } },
  { of: 'open', answer: '{}', content: {} },
  { of: 'port', answer: ' 8080 ', content: { port: 8080 } },
  { of: 'ratio', answer: '-0.5', content: { ratio: -0.5 } },
  ...['.25', '0.25', '2.5e-1', '25e-2', '+0.25E0', '0.025e1'].map((answer) => ({
    of: 'ratio' as const,
    answer,
    content: { ratio: 0.25 },
  })),
  { of: 'ratio', answer: '12e10', content: { ratio: 12e10 } },
  { of: 'ratio', answer: '5.', content: { ratio: 5 } },
  { of: 'sure', answer: 'Yes', content: { sure: true } },
  { of: 'sure', answer: '1', content: { sure: true } },
  { of: 'sure', answer: '0', content: { sure: false } },
  { of: 'sure', answer: 'no', content: { sure: false } },
  { of: 'two', answer: '{"a": "x", "b": "y"}', content: { a: 'x', b: 'y' } },
  { of: 'mixed', answer: '80', content: { port: 80 } },
  { of: 'mixed', answer: '{"port": 80, "sure": false}', content: { port: 80, sure: false } },
  { of: 'mixed', option: 'red', answer: '80', content: { colour: 'red', port: 80 } },
  { of: 'twice', answer: '{"first": "red", "second": "green"}', content: { first: 'red', second: 'green' } },
  { of: 'titled', option: 'High', content: { level: 2 } },
  { of: 'titled', answer: '1', content: { level: 1 } },
  { of: 'several', option: 'x', content: { parts: ['x'] } },
  { of: 'several', answer: 'x, z', content: { parts: ['x', 'z'] } },
  { of: 'short', answer: 'abc', content: { name: 'abc' } },
  { of: 'short', answer: 'ab', content: { name: 'ab' } },
  { of: 'tags', answer: 'a, b', content: { tags: ['a', 'b'] } },
  { of: 'note', answer: ' {"not": "JSON for us"} ', content: { note: ' {"not": "JSON for us"} ' } },
  { of: 'second', option: 'red', content: { second: 'red' } },
  { of: 'two', answer: ' {"a": "x", "b": "y"}', content: { a: 'x', b: 'y' } },
  { of: 'none', content: {} },
])('fills the form $of with option $option and answer $answer', ({ of, option, answer, content }) => {
  expect(fillForm(FORMS[of], { option: option ?? null, answer: answer ?? null })).toEqual(content);
});

it.each<{ of: FormName; option?: string; answer?: string; says: readonly string[] }>([
  { of: 'colour', says: ['--option', 'red, green'] },
  { of: 'open', says: ['--option', 'red, green', '--answer'] },
  { of: 'colour', option: 'blue', says: ['"blue"', 'red, green'] },
  { of: 'reason', answer: 'blue', says: ['"blue"', 'red, green'] },
  { of: 'reason', answer: '{"why": "blue"}', says: ['colour'] },
  { of: 'reason', option: 'red', answer: '{"colour": "green"}', says: ['"colour"'] },
  { of: 'port', says: ['whole number', '--answer'] },
  ...['abc', '3.7', '', '0', '65536', '0x50'].map((answer) => ({
    of: 'port' as const,
    answer,
    says: [`"${answer}"`, 'whole number'],
  })),
  { of: 'ratio', answer: 'Infinity', says: ['"Infinity"'] },
  { of: 'sure', says: ['yes or no'] },
  ...['eighty', 'yesterday', 'note', 'mono'].map((answer) => ({
    of: 'sure' as const,
    answer,
    says: [`"${answer}"`, 'yes or no'],
  })),
  { of: 'two', says: ['a, b', '{"a": "TEXT", "b": "TEXT"}'] },
  { of: 'two', answer: 'x', says: ['"x"', 'a, b', 'JSON object'] },
  { of: 'two', answer: '{"a": "x"}', says: ['b'] },
  { of: 'two', answer: '{"a": "x", "b": "y", "c": 1}', says: ['"c"', 'a, b'] },
  { of: 'two', answer: '{"a": "x", "b": 1}', says: ['"b"', '"1"', 'text'] },
  { of: 'two', answer: '{"a": "x"', says: ['not a valid JSON object'] },
  { of: 'mixed', option: 'red', says: ['port'] },
  { of: 'mixed', answer: '{"port": 1.5}', says: ['"port"', '"1.5"'] },
  { of: 'mixed', answer: '{"port": 1, "sure": "yes"}', says: ['"sure"', 'yes or no'] },
  { of: 'mixed', answer: '{"port": 1, "colour": "blue"}', says: ['"colour"', '"blue"', 'red, green'] },
  { of: 'twice', option: 'red', says: ['first, second'] },
  { of: 'twice', answer: 'blue', says: ['"blue"', 'red, green'] },
  { of: 'several', answer: 'x, w', says: ['x, y, z'] },
  { of: 'several', answer: 'x,y,z', says: ['at most 2'] },
  { of: 'short', answer: 'abcd', says: ['"abcd"', 'at most 3'] },
  { of: 'short', answer: 'a', says: ['"a"', 'at least 2'] },
  { of: 'none', answer: 'words', says: ['The question takes only a plain yes or no', '"words"'] },
  { of: 'none', option: 'red', says: ['"red"', 'there are: none'] },
  { of: 'colour', option: 'red', answer: 'words', says: ['The option answers the question', '"words"'] },
  { of: 'open', says: ['red, green; or give text as answer'] },
])('refuses for the form $of option $option and answer $answer', ({ of, option, answer, says }) => {
  const fill = (): unknown => fillForm(FORMS[of], { option: option ?? null, answer: answer ?? null });
  expect(fill).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }) as Error);
  for (const words of says) expect(fill).toThrow(words);
});

it.each<{ of: FormName; option?: string; answer?: string; field: string }>([
  { of: 'colour', option: 'blue', field: 'option' },
  { of: 'twice', option: 'red', field: 'option' },
  { of: 'colour', field: 'option' },
  { of: 'port', field: 'answer' },
  { of: 'two', field: 'answer' },
  { of: 'two', answer: 'x', field: 'answer' },
  { of: 'two', answer: '{"a": "x"', field: 'answer' },
  { of: 'two', answer: '{"c": "x"}', field: 'answer' },
  { of: 'reason', option: 'red', answer: '{"colour": "green"}', field: 'answer' },
  { of: 'open', answer: '{"colour": "blue"}', field: 'answer' },
  { of: 'twice', answer: 'blue', field: 'answer' },
  { of: 'none', answer: 'words', field: 'answer' },
])('names the input at fault: $field for the form $of, $option, $answer', ({ of, option, answer, field }) => {
  expect(() => fillForm(FORMS[of], { option: option ?? null, answer: answer ?? null })).toThrow(
    expect.objectContaining({ details: { field } }) as Error,
  );
});

it('takes several choices whose names have commas as an object', () => {
  const fields = form({ parts: { type: 'array', items: { enum: ['a,b', 'c'] } } }, 'parts');
  const fill = (answer: string): object => fillForm(fields, { option: null, answer });
  expect(fill('{"parts": ["a,b", "c"]}')).toEqual({ parts: ['a,b', 'c'] });
  expect(fill('c')).toEqual({ parts: ['c'] });
  expect(() => fill('{"parts": ["d"]}')).toThrow('takes');
});

it('fills every required field and no unknown one, or refuses, whatever the answer is', () => {
  const object = jsonValue().map((value) =>
    JSON.stringify({ port: value, colour: value, a: value, b: value }),
  );
  const words = oneof(string(), constantFrom('red', 'yes', '80'), object);
  const names = constantFrom(...Object.keys(FORMS).filter((name): name is FormName => name in FORMS));
  assert(
    property(names, optional(words), optional(constantFrom('red', 'x', 'blue')), (name, answer, option) => {
      const fields = FORMS[name];
      try {
        const filled = Object.keys(fillForm(fields, { option, answer }));
        const required = fields.filter((field) => field.required).map((field) => field.name);
        expect(filled).toEqual(expect.arrayContaining(required));
        expect(fields.map((field) => field.name)).toEqual(expect.arrayContaining(filled));
      } catch (thrown) {
        if (!(thrown instanceof FleetError)) throw thrown;
        expect(thrown.code).toBe('INVALID_INPUT');
      }
    }),
  );
});

function form(properties: object, ...required: string[]): ReturnType<typeof formFields> {
  return formFields({ type: 'object', properties, required });
}
