import { expect, test } from 'vitest';
import { rolesOf } from './built-in-roles.ts';
import { parseConfig } from './parse-config.ts';

function roles(text = '') {
  return rolesOf(parseConfig({ text: `version: 1\n${text}`, path: '/x/fleet.yaml', env: {} }).config);
}

test('coder, operator and manager are there without any configuration, with names, descriptions and prompts', () => {
  expect(roles().map(({ name, display_name }) => [name, display_name])).toEqual([
    ['coder', 'Software Engineer'],
    ['operator', 'Operations Engineer'],
    ['manager', 'Engineering Manager'],
  ]);
  for (const role of roles()) {
    expect(role).toMatchObject({
      agent: 'claude',
      command: [],
      model: null,
      env: {},
      env_from: [],
      on_crash: 'interrupt',
      check_retries: 0,
      contained: true,
      write: [],
      hide: [],
      sockets: [],
      ssh_agent: false,
      mode: null,
      permissions: [],
      answer_within: undefined,
      budget: undefined,
      retry: undefined,
      trust_repository: false,
      metadata: undefined,
    });
    expect(role.description).not.toBe('');
    for (const word of ['worktree', 'branch', 'commits', 'report_task', 'tests']) {
      expect(role.system_prompt).toMatch(new RegExp(word, 'i'));
    }
  }
});

test('roles adds to the built-in roles and overrides those of the same name [CFG-roles-merge]', () => {
  const [coder, operator, manager, checker] = roles(`roles:
  checker: { agent: command, command: [npm, test], env: { A: b }, env_from: [C], on_crash: resume }
  CODER: { model: opus, description: Mine }
`);
  expect(coder).toMatchObject({ name: 'CODER', model: 'opus', description: 'Mine', agent: 'claude' });
  expect(coder?.display_name).toBe('Software Engineer');
  expect(coder?.system_prompt).toBe(roles()[0]?.system_prompt);
  expect([operator?.name, manager?.name]).toEqual(['operator', 'manager']);
  expect(checker).toEqual({
    name: 'checker',
    display_name: 'checker',
    description: '',
    agent: 'command',
    command: ['npm', 'test'],
    system_prompt: null,
    model: null,
    env: { A: 'b' },
    env_from: ['C'],
    on_crash: 'resume',
    check_retries: 0,
    contained: true,
    write: [],
    hide: [],
    sockets: [],
    ssh_agent: false,
    mode: null,
    permissions: [],
    answer_within: undefined,
    budget: undefined,
    retry: undefined,
    trust_repository: false,
    team: undefined,
  });
});

test('on_crash is interrupt unless it is given [CFG-on-crash]', () => {
  const role = (more: string) => roles(`roles:\n  r: { agent: command, command: [cat]${more} }\n`).at(-1);
  expect(role('')?.on_crash).toBe('interrupt');
  expect(role(', on_crash: interrupt')?.on_crash).toBe('interrupt');
  expect(role(', on_crash: resume')?.on_crash).toBe('resume');
});

test('a built-in role can be given another agent, and another prompt', () => {
  const [coder] = roles('roles:\n  coder: { agent: command, command: [cat], system_prompt: "" }\n');
  expect(coder).toMatchObject({ agent: 'command', command: ['cat'], system_prompt: '' });
});
