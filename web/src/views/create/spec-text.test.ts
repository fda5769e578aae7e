import { expect, it } from 'vitest';
import { emptySpec, specFromMarkdown, specText, withPasted } from './spec-text.ts';

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

it('takes commands out of the Markdown around them, and headings in code for code', () => {
  const markdown = [
    'Ship it:',
    '```sh',
    '# checks are below',
    '```',
    '## Checks',
    '1. `npm test`',
    '2) echo `date`',
    '```sh',
    '# constraint: none',
    'npm run lint',
    '```',
  ].join('\r\n');
  const { objective, checks } = specFromMarkdown(markdown);
  expect(objective).toBe('Ship it:\n```sh\n# checks are below\n```');
  expect(checks).toBe('npm test\necho `date`\n# constraint: none\nnpm run lint');
});

it('keeps what was written when a spec is pasted', () => {
  const written = { ...emptySpec, objective: 'Ship it', checks: 'npm test' };
  expect(withPasted(written, 'Soon.\n## Context\nBig\n## Checks\n- npm run lint')).toEqual({
    ...emptySpec,
    objective: 'Ship it\nSoon.',
    context: 'Big',
    checks: 'npm test\nnpm run lint',
  });
});
