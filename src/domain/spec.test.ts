import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { FleetError } from './values/errors.ts';
import { checkSpec, specChecks } from './spec.ts';

test.for([
  ['one key', 'objective: Make the build green\n'],
  [
    'all keys',
    `objective: Make the build green
context: |
  The build fails: see the log.
constraints:
  - no new dependency
  - "keep the interface: it is public"
deliverables: a pull request
checks:
  - npm test
  - { name: lint, run: npm run lint }
  - run: make
`,
  ],
  ['JSON', '{"objective": "Make it green", "constraints": [], "checks": [{"run": "npm test"}], "more": 1}'],
  ['JSON over lines', '\n{\n  "context": "here",\n  "deliverables": ["a", "b"]\n}\n'],
  ['front matter before prose', '---\nobjective: Make it green\n---\nSome: prose: with colons\n'],
  ['CRLF and non-ASCII', 'objective: größer\r\nchecks:\r\n  - prüfen\r\n'],
  ['an anchor', 'objective: &same text\ncontext: *same\nchecks: [*same]\n'],
] as const)('a spec can be a document: %s [FR-018]', ([, text]) => {
  expect(checkSpec(text)).toBe(text);
});

test.for([
  'Make the build green.',
  'The objective: make it green. constraints: [none',
  'We need this.\nobjective: {broken\n',
  'Objective: {broken',
  'objective:no-space {',
  'objectives: [many',
  '{name} in the template stays as it is: {',
  '{"name": broken',
  '- a list\n- {of things',
  '# Heading\n\nchecks: [',
  'Tabs\tand "quotes',
])('prose is always fine: %j', (text) => {
  expect(checkSpec(text)).toBe(text);
});

test.for([
  ['objective: [unclosed\n', 2],
  ['objective: a\nobjective: b\n', 2],
  ['\n\nobjective: a\n\tcontext: b\n', 4],
  ['objective: fix this: now\n', 1],
  ['objective:\n', 1],
  ['objective: ""\n', 1],
  ['objective: 5\n', 1],
  ['context:\n  - a list\n', 2],
  ['objective: a\nconstraints: {a: b}\n', 2],
  ['objective: a\nconstraints:\n  - fine\n  - Must work: always\n', 4],
  ['objective: a\ndeliverables: [1]\n', 2],
  ['objective: a\nchecks:\n  - {name: lint}\n', 3],
  ['objective: a\nchecks:\n  - {run: [npm, test]}\n', 3],
  ['objective: a\ncontext: *nowhere\n', 2],
  ['{"objective": "a", "checks": [', 1],
  ['{"more": 1, objective: "a"', 1],
  ['{"objective": {"a": 1}}', 1],
  ['---\nobjective: [\n', 3],
  ['', 1],
  [' \n\t ', 1],
] as const)('a malformed document or an empty one is refused with its line: %j', ([text, line]) => {
  expect(() => checkSpec(text)).toThrow(
    expect.objectContaining({ code: 'INVALID_INPUT', details: { field: 'spec', line } }),
  );
});

test.for([
  ['', 'The spec is empty'],
  [
    'objective: [',
    'objective, context, constraints, deliverables, checks and cannot be read as YAML: line 1',
  ],
  ['objective: 5', `The spec's "objective" in line 1 must be text; put it in quotes`],
  ['objective: [a]', 'must be text; put it in quotes'],
  ['context: [a]', 'must be text; put it in quotes'],
  ['context: " "', 'must be text; put it in quotes'],
  ['constraints: {a: b}', 'must be text or a list of text.'],
  ['constraints:\n - run: make', 'must be a list of text. Text with ": " in it needs quotes.'],
  ['deliverables: [1]', /must be a list of text\.$/],
  ['checks: 5', 'must be text or a list of text, or of entries with "run" and perhaps "name".'],
  ['checks: [1]', /must be a list of text, or of entries with "run" and perhaps "name"\.$/],
  ['checks: [{run: make, name: [1]}]', 'perhaps "name"'],
] as const)('a refusal says what is wrong: %j', ([text, message]) => {
  expect(() => checkSpec(text)).toThrow(message);
});

test.for(['{"checks": [{"run": "make", "name": "build"}]}  ', '  {"objective": 5'])(
  'spaces around a document change nothing: %j',
  (text) => {
    const check = (given: string) => {
      try {
        return checkSpec(given).trim();
      } catch (thrown) {
        return thrown instanceof FleetError ? thrown.code : thrown;
      }
    };
    expect(check(text)).toBe(check(text.trim()));
  },
);

test('no text is met with anything but itself or a refusal of the spec', () => {
  const start = fc.constantFrom(
    '',
    '{',
    'objective: ',
    'checks:\n  - ',
    '---\ncontext: ',
    '{"constraints": ',
  );
  fc.assert(
    fc.property(start, fc.string({ unit: 'binary' }), (first, rest) => {
      try {
        return checkSpec(first + rest) === first + rest;
      } catch (error) {
        return (
          error instanceof FleetError && error.code === 'INVALID_INPUT' && error.details.field === 'spec'
        );
      }
    }),
    { numRuns: 500 },
  );
});

test('deep nesting and many aliases do no harm', () => {
  expect(() => checkSpec(`objective: ${'['.repeat(30_000)}`)).toThrow(FleetError);
  const bomb = Array.from(
    { length: 30 },
    (_, level) => `a${level}: &a${level} [*a${level - 1}, *a${level - 1}]`,
  );
  bomb[0] = 'a0: &a0 x';
  expect(checkSpec(`objective: text\n${bomb.join('\n')}\n`)).toContain('objective');
});

test.for([
  ['objective: a\nchecks: make', [['make', 'make']]],
  [
    'objective: a\nchecks:\n  - npm test\n  - {name: lint, run: npm run lint}\n  - run: make\n',
    [
      ['npm test', 'npm test'],
      ['lint', 'npm run lint'],
      ['make', 'make'],
    ],
  ],
  ['{"checks": [{"run": "npm test", "name": "tests"}]}', [['tests', 'npm test']]],
  ['checks: [&same make]\ncontext: *same\n', [['make', 'make']]],
  ['objective: a', []],
  ['Just do it, checks: all of them', []],
] as const)('the checks of a spec are its commands, by name: %s [FR-018]', ([text, expected]) => {
  expect(specChecks(text).map(({ name, run }) => [name, run])).toEqual(expected);
});
