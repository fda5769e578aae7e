import { describe, expect, it } from 'vitest';
import { ArgumentCheck } from './argument-check.ts';

const EVIL = '^(a+)+$';
const HOLDS_UP = `${'a'.repeat(40)}!`;
const checked = (schema: object, args: Record<string, unknown>) => () =>
  new ArgumentCheck().check('lab__tool', { type: 'object', ...schema }, args);
const at = (a: object) => ({ properties: { a, b: { type: 'integer' } } });

describe('a pattern that could hold up the process', () => {
  it('is left to the server, wherever it stands, and all else is checked', () => {
    const schema = {
      properties: { a: { type: 'string', pattern: EVIL }, b: { type: 'integer' } },
      required: ['a'],
    };
    expect(checked(schema, { a: HOLDS_UP, b: 1 })).not.toThrow();
    expect(checked(schema, { a: 7 })).toThrow('"a" of lab__tool is not valid: must be string');
    expect(checked(schema, { a: 'a', b: 'x' })).toThrow('"b" of lab__tool is not valid: must be integer');
    expect(checked(schema, {})).toThrow('"a"');
    expect(checked({ propertyNames: { pattern: EVIL } }, { [HOLDS_UP]: 1 })).not.toThrow();
    expect(
      checked({ $defs: { x: { pattern: EVIL } }, ...at({ $ref: '#/$defs/x' }) }, { a: HOLDS_UP }),
    ).not.toThrow();
  });

  it.each([
    ['not', at({ not: { pattern: EVIL } }), { a: HOLDS_UP }],
    [
      'not by a reference',
      { $defs: { x: { pattern: EVIL } }, ...at({ not: { $ref: '#/$defs/x' } }) },
      { a: 'b' },
    ],
    ['oneOf', at({ oneOf: [{ pattern: EVIL }, { const: 'b' }] }), { a: 'b' }],
    ['if', at(JSON.parse(`{ "if": { "pattern": "${EVIL}" }, "then": false }`) as object), { a: 'b' }],
    ['contains', at({ contains: { pattern: EVIL }, maxContains: 1 }), { a: ['b', 'c'] }],
    [
      'patternProperties',
      { patternProperties: { [EVIL]: { type: 'null' } }, additionalProperties: false },
      { aa: null, [HOLDS_UP]: 1 },
    ],
    [
      'unevaluatedProperties',
      { allOf: [{ patternProperties: { [EVIL]: {} } }], unevaluatedProperties: false },
      { aa: 1 },
    ],
  ])('refuses nothing that is allowed: %s', (_name, schema, args) => {
    expect(checked(schema, args)).not.toThrow();
  });

  it('takes nothing of what stands beside it', () => {
    const schema = at({ oneOf: [{ type: 'string', pattern: EVIL }, { type: 'integer' }] });
    expect(checked(schema, { a: true })).toThrow('"a"');
    expect(checked(schema, { a: 1, b: 'x' })).toThrow('"b"');
    expect(checked({ ...at({ pattern: EVIL }), not: { required: ['c'] } }, { c: 1 })).toThrow(
      'must NOT be valid',
    );
    expect(
      checked({ properties: { pattern: { type: 'integer' }, x: { pattern: EVIL } } }, { pattern: EVIL }),
    ).toThrow('"pattern"');
  });
});

it('a pattern that cannot is judged', () => {
  expect(checked(at({ pattern: '^[a-z]+$' }), { a: 'A' })).toThrow(
    '"a" of lab__tool is not valid: must match pattern',
  );
  expect(
    checked({ patternProperties: { '^x': { type: 'integer' } }, additionalProperties: false }, { y: 1 }),
  ).toThrow('"y"');
});

describe('a schema that would hold up the process', () => {
  const doubled = (levels: number): Record<string, object> =>
    Object.fromEntries(
      Array.from({ length: levels }, (_, level) => {
        const next = { $ref: `#/$defs/d${level + 1}` };
        return [`d${level}`, level === levels - 1 ? { type: 'object' } : { allOf: [next, next] }];
      }),
    );

  it.each([28, 36, 200])('is passed on and not checked: %i levels of doubled references', (levels) => {
    const schema = { $defs: doubled(levels), properties: { b: { type: 'integer' } }, $ref: '#/$defs/d0' };
    expect(checked(schema, { b: 1 })).not.toThrow();
    // The next schema is compiled as ever.
    expect(checked(at({ type: 'string' }), { a: 7 })).toThrow('must be string');
  });

  it('is passed on when only some values take long', () => {
    const tree = {
      anyOf: ['x', 'y'].map((x) => ({ properties: { x: { const: x }, a: { $ref: '#/$defs/t' } } })),
    };
    const schema = { $defs: { t: { ...tree, required: ['b'] } }, properties: { a: { $ref: '#/$defs/t' } } };
    let deep: object = { x: 'z' };
    for (let level = 0; level < 40; level++) deep = { a: deep, b: 1 };
    expect(checked(schema, { a: deep })).not.toThrow();
    expect(checked(schema, { a: { a: 1 } })).toThrow('"a.b" of lab__tool is not valid');
  });

  it('is passed on when it never ends, or is nested deeper than can be read', () => {
    expect(checked({ allOf: [{ $ref: '#' }] }, {})).not.toThrow();
    let nested: object = { type: 'string' };
    for (let level = 0; level < 20_000; level++) nested = { not: nested };
    expect(checked(at(nested), { a: 1 })).not.toThrow();
  });

  it('is passed on when it compares a great many items with each other', () => {
    const items = Array.from({ length: 100_000 }, (_, index) => ({ index }));
    expect(checked(at({ uniqueItems: true }), { a: items })).not.toThrow();
    expect(checked(at({ uniqueItems: true }), { a: [{ index: 1 }, { index: 1 }] })).toThrow(
      'duplicate items',
    );
  });

  it('with references is checked when it is quick', () => {
    const schema = { $defs: doubled(8), properties: { b: { type: 'integer' } }, $ref: '#/$defs/d0' };
    expect(checked(schema, { b: 'x' })).toThrow('"b" of lab__tool is not valid');
  });
});
