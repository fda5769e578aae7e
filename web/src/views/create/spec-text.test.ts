import { expect, it } from 'vitest';
import { emptySpec, specFromMarkdown, specText } from './spec-text.ts';

it('is left out when empty, text when there is only an objective, and JSON with parts otherwise', () => {
  expect(specText(emptySpec)).toBeUndefined();
  expect(specText({ ...emptySpec, objective: ' Ship it ' })).toBe('Ship it');
  expect(
    JSON.parse(specText({ ...emptySpec, objective: 'Ship it', checks: 'npm test\n\n npm run lint ' }) ?? ''),
  ).toEqual({
    objective: 'Ship it',
    checks: ['npm test', 'npm run lint'],
  });
});

it('is read from Markdown by its headings', () => {
  const markdown = `# Objective

The page works.

## Constraints
- no cookies
* [ ] no frames

## Checks
- npm test
`;
  expect(specFromMarkdown(markdown)).toEqual({
    objective: 'The page works.',
    context: '',
    constraints: 'no cookies\nno frames',
    deliverables: '',
    checks: 'npm test',
  });
});
