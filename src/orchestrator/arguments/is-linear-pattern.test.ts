import { expect, test } from 'vitest';
import { isLinearPattern } from './is-linear-pattern.ts';

test.each([
  '^[a-z]+$',
  '^\\d{4}-\\d{2}-\\d{2}$',
  '^[0-9a-f]{64}$',
  '^[a-z][a-z0-9_-]*[a-z0-9]$',
  '^https://',
  '\\.md$',
  '^[\\]\\-a]?x$',
  '^price \\$',
  '^\\u0041+$',
  '',
])('%s takes time as a text is long', (pattern) => {
  expect(isLinearPattern(pattern)).toBe(true);
});

test.each([
  '^(a+)+$',
  '(a|a)*b',
  '^a*a*b$',
  'a+$',
  '^a?a?b$',
  '^a{1,900}a{1,900}b$',
  '^a*a{1000}b$',
  '^(?=a)b',
  '^(a)\\1$',
  '^a$|b',
  '(',
  '[',
  '^a**$',
])('%s may take more, or is not known', (pattern) => {
  expect(isLinearPattern(pattern)).toBe(false);
});
