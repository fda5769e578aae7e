import { expect, it } from 'vitest';
import type { Approval } from '../../domain/approvals/approval.ts';
import { plain } from '../output/output.ts';
import { approvalLine, approvalText } from './approval-text.ts';

const NOW = Date.parse('2026-01-01T12:00:00.000Z');

it('shows a command as a command, with what came beside it and the answers that are offered', () => {
  const text = textOf({
    tool: 'Bash: npm test',
    input: {
      tool: 'Bash',
      kind: 'execute',
      rawInput: { command: 'npm test\nnpm run lint', description: 'Runs the tests', timeout: 60_000 },
      content: [{ type: 'content', content: { type: 'text', text: 'Runs the tests' } }],
    },
    options: [
      { id: 'allow-once', name: 'Yes', decision: 'allow' },
      { id: 'reject', name: 'No', decision: 'deny' },
      { id: 'allow-with-updates', name: "Yes, and don't ask again", decision: 'allow' },
    ],
  });
  expect(text).toBe(`3f2a9c1e-4  sony wants to run a command  (asked 3m ago, expires in 41 min)

  $ npm test
    npm run lint

  description: Runs the tests
  timeout: 60000

Answer with:
  fleet approve 3f2a9c1e-4                               # Yes
  fleet deny 3f2a9c1e-4                                  # No
  fleet approve 3f2a9c1e-4 --option allow-with-updates   # Yes, and don't ask again
`);
});

it.each([
  { command: ['bash', '-lc', 'git status | cat'], line: 'git status | cat' },
  { command: ['/bin/sh', '-c', 'ls'], line: 'ls' },
  { command: ['git', 'commit', '-m', "it's done"], line: `git commit -m 'it'\\''s done'` },
])('shows the words $command as a line', ({ command, line }) => {
  const asked = {
    id: '3f2a9c1e-4',
    kind: 'permission',
    tool: 'execute',
    input: { rawInput: { command } },
  } as const;
  expect(approvalLine(asked, '/fleet')).toBe(line);
});

it('shows an edit as a unified diff, and what the diff does not say', () => {
  const rawInput = {
    file_path: '/w/a.ts',
    old_string: 'one\ntwo',
    new_string: 'one\nTWO',
    replace_all: true,
  };
  const content = [{ type: 'diff', path: '/w/a.ts', oldText: 'one\ntwo', newText: 'one\nTWO' }];
  const shown = [
    '--- /w/a.ts',
    '+++ /w/a.ts',
    '@@ -1,2 +1,2 @@',
    ' one',
    '-two',
    '+TWO',
    '',
    'replace_all: true',
  ];
  const lines = shown.map((line) => (line === '' ? '' : `  ${line}`)).join('\n');
  const locations = [{ path: '/w/a.ts' }];
  expect(textOf({ tool: 'Edit', input: { kind: 'edit', rawInput, content, locations } })).toContain(lines);
  expect(textOf({ tool: 'Edit', input: { rawInput } })).toContain(lines);
});

it('shows paths of the agent’s own worktree from there on, and no others', () => {
  const own = '/fleet/agents/3f2a9c1e-0000-4000-8000-000000000000/work';
  const shown = (path: string): string =>
    approvalLine(
      { id: '3f2a9c1e-4', kind: 'permission', tool: 'Write', input: { rawInput: { path, content: '' } } },
      '/fleet',
    );
  expect(shown(`${own}/src/a.ts`)).toBe('src/a.ts');
  for (const path of [
    '/etc/passwd',
    `${own}/../x`,
    own,
    '/fleet/agents/ffffffff-0000-4000-8000-000000000000/work/a.ts',
    `/other${own}/a.ts`,
  ])
    expect(shown(path)).toBe(path);
});

it('shows a question with its options, and free words only where they are taken', () => {
  const options = [{ id: 'dark blue', name: 'Blue', decision: 'allow' }] as const;
  const choice = { colour: { oneOf: [{ const: 'dark blue', title: 'Blue', description: 'calm' }] } };
  const closed = question(choice, options);
  expect(closed).toContain('  Which one?\n');
  expect(closed).toContain(`fleet approve 3f2a9c1e-4 --option 'dark blue'   # Blue: calm`);
  expect(closed).toContain('fleet deny 3f2a9c1e-4 ');
  expect(closed).not.toContain('--answer');
  expect(question({ ...choice, other: { type: 'string' } }, options)).toContain('--answer TEXT');
  expect(question({ port: { type: 'string' } }, [])).toContain('--answer TEXT');
});

it('shows the fields of a form with what each takes, and only answers that it takes', () => {
  const colour = { enum: ['red', 'green'] };
  const port = { type: 'integer', title: 'Port', description: 'of the server' };
  const several = question({ colour, port }, [], ['colour', 'port']);
  expect(several).toContain(
    '\n\n  colour: one of: red, green (required)\n  port: a whole number (required). Port: of the server\n',
  );
  expect(several).toContain(`fleet approve 3f2a9c1e-4 --answer '{"colour": "red", "port": 1}'`);
  expect(several).not.toContain('--option');
  const sure = question({ sure: { type: 'boolean' } }, []);
  expect(sure).toContain('sure: yes or no');
  for (const word of ['yes', 'no']) expect(sure).toContain(`--answer ${word} `);
  const asked = { input: { schema: { properties: { sure: { type: 'boolean' } } } }, tool: 'Sure?' };
  expect(approvalLine({ ...asked, id: '3f2a9c1e-4', kind: 'question' }, '/fleet')).toBe('Sure? (yes or no)');
});

it('shows any other input as values, never as JSON, and safe for a terminal', () => {
  const text = textOf({
    kind: 'tool_call',
    tool: 'files__delete',
    input: { path: '/tmp/\u001b[2Jx', deep: { force: true } },
  });
  expect(text).toContain('  files__delete\n');
  expect(text).toContain('  deep:\n    force: true\n');
  expect(text).not.toContain('\u001b');
  expect(text).not.toContain('{');
});

function question(
  properties: object,
  options: Approval['options'],
  required: readonly string[] = [],
): string {
  const input = { message: 'Which one?', schema: { type: 'object', properties, required } };
  return textOf({ kind: 'question', tool: 'Which one?', input, options });
}

function textOf(given: Partial<Approval>): string {
  const approval: Approval = {
    id: '3f2a9c1e-4',
    kind: 'permission',
    tool: 'Bash',
    input: {},
    options: [],
    agent_name: 'sony',
    asked_by: 'agent:sony',
    asked_at: new Date(NOW - 3 * 60_000).toISOString(),
    expires_at: new Date(NOW + 41.5 * 60_000).toISOString(),
    ...given,
  };
  return approvalText(approval, { now: NOW, home: '/fleet', paint: plain });
}
