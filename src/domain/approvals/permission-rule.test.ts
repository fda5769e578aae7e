import { describe, expect, it } from 'vitest';
import type { Question } from './approval.ts';
import { standingDecision, type PermissionRule } from './permission-rule.ts';

describe('a rule for a tool', () => {
  it.each([
    ['Bash', 'Bash', 'allow'],
    ['mcp__files__*', 'mcp__files__read', 'allow'],
    ['*', 'anything\nat all', 'allow'],
    ['Bash', 'BashOutput', undefined],
    ['a.b', 'axb', undefined],
    ['a(b)+', 'a(b)+', 'allow'],
  ])('%s for %s: %s', (tool, asked, decision) => {
    expect(standingDecision([{ tool, decision: 'allow' }], permission(asked, {}))).toBe(decision);
  });

  it('counts for the name that the agent gives the tool, before that of the question', () => {
    const rules: PermissionRule[] = [{ tool: 'Bash', decision: 'deny' }];
    expect(standingDecision(rules, permission('Run a command', { tool: 'Bash' }))).toBe('deny');
    expect(standingDecision(rules, permission('Bash', { tool: 7 }))).toBe('deny');
    expect(standingDecision(rules, permission('Bash', { tool: 'Read' }))).toBeUndefined();
    expect(standingDecision(rules, permission('Bash', null))).toBe('deny');
    expect(standingDecision(rules, permission('Bash', ['tool']))).toBe('deny');
  });

  it('is the first that fits, and answers permissions only', () => {
    const rules: PermissionRule[] = [
      { tool: 'Bash', command: 'rm *', decision: 'deny' },
      { tool: 'Bash', decision: 'allow' },
    ];
    expect(standingDecision(rules, command('rm -rf x'))).toBe('deny');
    expect(standingDecision(rules, command('ls'))).toBe('allow');
    expect(standingDecision(rules, { ...command('ls'), kind: 'question' })).toBeUndefined();
  });
});

describe('a rule for a command', () => {
  const allow: PermissionRule[] = [{ tool: 'Bash', command: 'npm test*', decision: 'allow' }];

  it.each(['npm test', 'npm test -- --watch'])('allows %s', (text) => {
    expect(standingDecision(allow, command(text))).toBe('allow');
  });

  it.each([
    'npm install',
    'npm test; rm -rf /',
    'npm test & x',
    'npm test | sh',
    'npm test `x`',
    'npm test $(x)',
    'npm test\nx',
    'npm test > file',
    'npm test < file',
  ])('does not allow %o', (text) => {
    expect(standingDecision(allow, command(text))).toBeUndefined();
  });

  it('denies a list of commands too, and one for everything allows everything', () => {
    const deny: PermissionRule[] = [{ tool: 'Bash', command: 'rm*', decision: 'deny' }];
    expect(standingDecision(deny, command('rm x; ls'))).toBe('deny');
    const all: PermissionRule[] = [{ tool: 'Bash', command: '*', decision: 'allow' }];
    expect(standingDecision(all, command('a; b'))).toBe('allow');
  });

  it('does not fit a tool without a command', () => {
    const any: PermissionRule[] = [{ tool: '*', command: '*', decision: 'allow' }];
    expect(standingDecision(any, permission('Read', { rawInput: { path: '/x' } }))).toBeUndefined();
    expect(standingDecision(any, permission('Read', { rawInput: { command: 7 } }))).toBeUndefined();
    expect(standingDecision(any, permission('Read', { rawInput: null }))).toBeUndefined();
  });
});

describe('a rule for a path', () => {
  const allow: PermissionRule[] = [{ tool: '*', path: '/project/*', decision: 'allow' }];
  const deny: PermissionRule[] = [{ tool: '*', path: '/project/*', decision: 'deny' }];

  it.each(['file_path', 'path', 'notebook_path'])('reads %s of the input', (name) => {
    expect(standingDecision(allow, permission('Edit', { rawInput: { [name]: '/project/a' } }))).toBe('allow');
    expect(standingDecision(allow, permission('Edit', { rawInput: { [name]: '/etc/a' } }))).toBeUndefined();
  });

  it('reads the locations where the input names no path', () => {
    const locations = [{ path: '/project/a' }, 'no location'];
    expect(standingDecision(allow, permission('Edit', { locations }))).toBe('allow');
    const input = { rawInput: { path: '/etc/a' }, locations };
    expect(standingDecision(allow, permission('Edit', input))).toBeUndefined();
  });

  it('allows when all paths fit, and denies when one does', () => {
    const both = permission('Edit', { locations: [{ path: '/project/a' }, { path: '/etc/a' }] });
    expect(standingDecision(allow, both)).toBeUndefined();
    expect(standingDecision(deny, both)).toBe('deny');
  });

  it('does not allow what names no path, or climbs out', () => {
    expect(standingDecision(allow, permission('Edit', {}))).toBeUndefined();
    expect(standingDecision(deny, permission('Edit', {}))).toBeUndefined();
    const climbing = permission('Edit', { rawInput: { path: '/project/../etc/a' } });
    expect(standingDecision(allow, climbing)).toBeUndefined();
    expect(standingDecision(deny, climbing)).toBe('deny');
  });
});

function permission(tool: string, input: unknown): Question {
  return { kind: 'permission', tool, input, options: [] };
}

function command(text: string): Question {
  return permission('Bash', { rawInput: { command: text } });
}
