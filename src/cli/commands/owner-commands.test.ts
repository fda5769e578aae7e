import { describe, expect, it } from 'vitest';
import { plain } from '../output/output.ts';
import { tryCli } from '../test-cli.ts';
import { judgementText } from './drill.ts';
import { bytesText } from '../../domain/values/bytes-text.ts';
import { usageText } from './gc.ts';
import { parseSource } from './token-store-commands.ts';

const body = (text: string): { error: { code: string; message: string; details: Record<string, unknown> } } =>
  JSON.parse(text);

describe('commands below a command', () => {
  it.each([
    [['token', 'lst'], 'fleet token has no command "lst". Did you mean "list"?'],
    [['kept', 'restor', 'x'], 'fleet kept has no command "restor". Did you mean "restore"?'],
    [['mcp', 'xyz'], 'fleet mcp has no command "xyz". It has: install.'],
  ])('%j is told by its name', async (words, message) => {
    const { exitCode, stderr } = await tryCli(words);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
  });

  it.each([
    ['token', 'create'],
    ['token', 'list'],
    ['token', 'revoke'],
    ['mcp', 'install'],
    ['kept', 'list'],
    ['kept', 'restore'],
    ['kept', 'prune'],
  ])('fleet %s %s has help of its own', async (command, name) => {
    const { exitCode, stdout } = await tryCli([command, name, '--help']);
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`Usage: fleet ${command} ${name}`);
    expect(stdout).toContain('Examples:');
  });

  it.each([
    [['token', 'create', 'ci']],
    [['token', 'list']],
    [['token', 'revoke', 'ci']],
    [['mcp', 'install']],
    [['kept']],
    [['kept', 'prune', '--older-than', '1d', '--yes']],
    [['gc', '--yes']],
    [['drill']],
  ])('%j is FORBIDDEN inside an agent', async (words) => {
    const inside = { FLEET_SELF_SOCKET: '/nowhere/self.sock', FLEET_AGENT: 'sony' };
    const { exitCode, stdout } = await tryCli([...words, '--json'], inside);
    expect(exitCode).toBe(5);
    expect(body(stdout).error).toMatchObject({ code: 'FORBIDDEN', details: { reason: 'inside_agent' } });
  });
});

describe('what they cannot take', () => {
  it.each([
    [['token', 'create', 'ci', '--scopes', 'oprate'], 'scopes', 'Did you mean "operate"?'],
    [['token', 'create', 'ci', '--source', 'robot'], 'source', '"robot"'],
    [['mcp', 'install', '--client', 'curser'], 'client', 'Did you mean "cursor"?'],
    [['mcp', 'install', '--name', 'my fleet'], 'name', '"my fleet"'],
    [['kept', 'prune', '--older-than', 'long'], 'older_than', '"long"'],
    [['gc', '--older-than', '30'], 'older_than', '"30"'],
    [['drill', '--seconds', '601'], 'seconds', '601'],
  ])('%j', async (words, field, text) => {
    const { exitCode, stdout } = await tryCli([...words, '--json']);
    expect(exitCode).toBe(2);
    expect(body(stdout).error).toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining(text),
      details: { field },
    });
  });
});

it('knows the sources of a token', () => {
  expect([parseSource('human'), parseSource('ai')]).toEqual(['human', 'ai']);
});

it('says bytes in the unit that fits', () => {
  expect([0, 1, 1023, 1024, 1536, 5 * 1024 ** 3].map(bytesText)).toEqual([
    '0 B',
    '1 B',
    '1023 B',
    '1.0 KB',
    '1.5 KB',
    '5.0 GB',
  ]);
});

it('says what is old, what was removed, and what could not be counted', () => {
  const none = { count: 0, bytes: 0 };
  const archives = {
    name: 'archives',
    title: 'archives',
    all: { count: 2, bytes: 2048 },
    old: { count: 1, bytes: 1024 },
    removed: none,
  };
  const kept = { name: 'kept', title: 'kept', all: none, old: none, removed: none, note: 'unknown' };
  expect(usageText([archives, kept])).toMatch(
    /archives +2, 2\.0 KB\n {2}old +1, 1\.0 KB\nkept +none\n {2}note +unknown/,
  );
  expect(usageText([archives])).not.toContain('removed');
  expect(usageText([{ ...archives, removed: archives.old }])).toMatch(/removed now +1, 1\.0 KB/);
});

it('shows what broke a promise, with no control character', () => {
  const judgement = { promise: 'names are unique', held: false, cases: 2, broken: ['a\u001b[31m is twice'] };
  expect(judgementText(judgement, plain)).toBe(
    'BROKEN  names are unique (2)\n          a\\x1b[31m is twice\n',
  );
  expect(judgementText({ ...judgement, held: true, broken: [] }, plain)).toBe(
    'held    names are unique (2)\n',
  );
});
