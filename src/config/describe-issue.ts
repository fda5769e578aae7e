import type { z } from 'zod';
import { quote } from '../domain/values/errors.ts';
import { cut, nearest } from '../domain/values/text.ts';
import type { ConfigProblem } from './config-problem.ts';
import { SECTION_KEYS, configSchema } from './config-schema.ts';
import { valueAt, type KeyPath } from './key-path.ts';

type Issue = z.core.$ZodIssue;

/** What zod found, in words of the file. */
export function describeIssues(issues: readonly Issue[], root: unknown): readonly ConfigProblem[] {
  const problems = issues.flatMap((issue) => describeIssue(issue, root));
  const mistyped = new Set(
    problems.flatMap(({ path, meant }) => (meant === undefined ? [] : [sibling(path, meant)])),
  );
  return problems.filter(({ path, isMissing }) => isMissing !== true || !mistyped.has(JSON.stringify(path)));
}

interface IssueProblem extends ConfigProblem {
  /** For an unknown key, the known one that it is near to: that one is then not missing as well. */
  readonly meant?: string | undefined;
  readonly isMissing?: boolean;
}

function describeIssue(issue: Issue, root: unknown): readonly IssueProblem[] {
  const path = issue.path.map((part) => (typeof part === 'number' ? part : String(part)));
  if (issue.code === 'unrecognized_keys') {
    const known = knownKeys(path);
    return issue.keys.map((key) => ({
      path: [...path, key],
      text: `is not a known key${suggestion(key, known)}`,
      onKey: true,
      meant: near(key, known),
    }));
  }
  if (issue.code === 'invalid_key') {
    return [{ path, text: `is not allowed as a name: it ${nameProblem(issue.issues[0])}`, onKey: true }];
  }
  const value = valueAt(root, path);
  if (value === undefined) return [{ path, text: `is missing${hint(issue)}`, isMissing: true }];
  return [{ path, text: problemText(issue, value, path) }];
}

function sibling(path: KeyPath, key: string): string {
  return JSON.stringify([...path.slice(0, -1), key]);
}

/** `; did you mean "repository"?`, or all that there are when none is near. */
export function suggestion(word: string, known: readonly string[]): string {
  const meant = near(word, known);
  return meant === undefined ? `; there are: ${known.join(', ')}` : `; did you mean ${quote(meant)}?`;
}

function near(word: string, known: readonly string[]): string | undefined {
  return word.length <= 100 ? nearest(word, known) : undefined;
}

function problemText(issue: Issue, value: unknown, path: KeyPath): string {
  const given = describeValue(value, path);
  switch (issue.code) {
    case 'invalid_type':
      return value === null
        ? `is empty and must be ${expectedWord(issue)}; give it a value, or leave the key out`
        : `must be ${expectedWord(issue)}, not ${given}${typeHint(issue.expected, value, path)}`;
    case 'invalid_value': {
      const values = issue.values.map(String);
      if (values.length === 1) return `must be ${values[0]}, not ${given}`;
      const meant = typeof value === 'string' ? near(value, values) : undefined;
      const question = meant === undefined ? '' : `; did you mean ${quote(meant)}?`;
      return `must be one of ${values.join(', ')}, not ${given}${question}`;
    }
    case 'too_small':
      return issue.origin === 'number' || issue.origin === 'int'
        ? `must be at least ${issue.minimum}, not ${given}`
        : 'must not be empty';
    case 'too_big':
      return issue.origin === 'number' || issue.origin === 'int'
        ? `must be at most ${issue.maximum}, not ${given}`
        : `must have at most ${issue.maximum} characters`;
    case 'invalid_key':
    case 'invalid_element':
    case 'not_multiple_of':
    case 'unrecognized_keys':
    case 'invalid_format':
    case 'invalid_union':
    case 'custom':
      return `${issue.message}, not ${given}`;
  }
}

const EXPECTED: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map of keys and values',
  record: 'a map of keys and values',
};

/** The bad value; those of a variable or a header may be secrets and are not repeated. */
function describeValue(value: unknown, path: KeyPath): string {
  if (value === null) return 'empty';
  if (path.includes('env') || path.includes('headers')) return `this ${kindOf(value)}`;
  return typeof value === 'string' ? quote(value) : `the ${kindOf(value)} ${cut(JSON.stringify(value), 80)}`;
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'list';
  return typeof value === 'object' ? 'map' : typeof value;
}

function expectedWord({ expected }: { expected: string }): string {
  return EXPECTED[expected] ?? expected;
}

function typeHint(expected: string, value: unknown, path: KeyPath): string {
  const isTime = String(path.at(-1)).endsWith('_after');
  if (isTime && typeof value === 'number') return `; give it a unit, such as "${value}m"`;
  const needsQuotes = expected === 'string' && (typeof value === 'number' || typeof value === 'boolean');
  return needsQuotes ? '; put it in quotes' : '';
}

function hint(issue: Issue): string {
  return issue.code === 'invalid_value' && issue.values.length === 1
    ? `; write "${issue.path.map(String).at(-1) ?? ''}: ${String(issue.values[0])}"`
    : '';
}

function nameProblem(issue: Issue | undefined): string {
  if (issue?.code === 'too_big') return `has more than ${issue.maximum} characters`;
  if (issue?.code === 'too_small') return 'is empty';
  return issue?.message ?? 'cannot be one';
}

function knownKeys([section]: KeyPath): readonly string[] {
  return section === undefined ? Object.keys(configSchema.shape) : (SECTION_KEYS[section] ?? []);
}
