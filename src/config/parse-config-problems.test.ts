import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { FleetError } from '../domain/values/errors.ts';
import { configPlace, PROJECT } from '../../test/support/fleets/parsed-config.ts';

const { directory, path, parse, problem } = configPlace();

test('an unknown key is refused with its place and the nearest known one [CFG-unknown-key, CFG-error-place]', () => {
  const error = problem('version: 1\nprojects:\n  Setup:\n    repositroy: ./setup\n');
  expect(error.code).toBe('INVALID_INPUT');
  expect(error.message).toBe(
    `${path}:4:5: projects.Setup.repositroy is not a known key; did you mean "repository"?`,
  );
  expect(error.details).toEqual({ field: 'projects.Setup.repositroy', file: path, line: 4, column: 5 });
});

test.each(['my forge: {type: gitea}', 'a/b: {type: gitea}', 'work: {type: gitea, url: "https://a b"}'])(
  'a forge that has no address is refused: %s',
  (forge) => {
    expect(problem(`version: 1\nforges:\n  ${forge}\n`).message).toMatch(/forges.*url/);
    expect(parse('version: 1\nforges:\n  git.example.com:3000: {type: gitea}\n').config.forges).toEqual({
      'git.example.com:3000': { type: 'gitea' },
    });
  },
);

test('an unknown key that is near to none is answered with those there are', () => {
  expect(problem('version: 1\ntemplates: {}\n').message).toContain('there are: $schema, version, backend');
  expect(problem(`version: 1\nroles:\n  a: {agent: claude, "x y/z": 1}\n`).details.field).toBe(
    'roles.a["x y/z"]',
  );
});

test('an unknown key inside mcpServers is a warning and not an error', () => {
  const { config, warnings } = parse(
    'version: 1\nmcpServers:\n  a: {command: x, aprove: all, gallery: {b: 1}}\n',
  );
  expect(warnings).toEqual([
    `${path}:3:19: mcpServers.a.aprove is not a known key and has no effect; did you mean "approve"?`,
    expect.stringContaining(
      `${path}:3:32: mcpServers.a.gallery is not a known key and has no effect; there are: `,
    ),
  ]);
  expect(config.mcpServers['a']?.approve).toBe('destructive');
});

test.for([
  ['an empty file', '', 'the configuration is empty', 1],
  ['comments alone', '# nothing\n\n', 'the configuration is empty', 1],
  ['text', 'hello\n', 'the configuration must be a map of keys and values, not "hello"', 1],
  ['a list', '- version: 1\n', 'the configuration must be a map of keys and values', 1],
  ['a key twice', `${PROJECT}    base: a\n    base: b\n`, 'projects.Setup.base: this key is there twice', 6],
  ['a tab', 'version: 1\nprojects:\n\tSetup: x\n', 'tabs cannot indent YAML', 3],
  ['two documents', 'version: 1\n---\nversion: 1\n', 'a second document', 2],
  ['an open bracket', 'version: 1\nprojects: {\n', 'not YAML', 3],
  ['an unknown tag', 'version: !secret 1\n', 'Unresolved tag: !secret', 1],
  ['an alias of nothing', 'version: 1\nprojects: *nothing\n', 'no anchor for the alias "*nothing"', 2],
  ['an alias of itself', 'version: 1\nmcpServers: &m\n  a: *m\n', 'the alias "*m" contains itself', 3],
  ['a key that is a list', 'version: 1\n? [a]\n: b\n', 'a key must be text', 2],
  ['__proto__', 'version: 1\nprojects:\n  __proto__: {repository: x}\n', '"__proto__" cannot be a key', 3],
  ['a project without repository', 'version: 1\nprojects:\n  a: {}\n', 'projects.a.repository is missing', 3],
  ['an empty section', 'version: 1\nprojects:\n', 'projects is empty and must be a map', 2],
  [
    'a number for text',
    `${PROJECT}    base: 1.10\n`,
    'must be text, not the number 1.1; put it in quotes',
    5,
  ],
  ['a map for text', `${PROJECT}    base: {a: 1}\n`, 'must be text, not the map {"a":1}', 5],
  ['text for a list', `${PROJECT}    copy: .env\n`, 'projects.Setup.copy must be a list, not ".env"', 5],
  ['an empty setup', `${PROJECT}    setup: []\n`, 'projects.Setup.setup must not be empty', 5],
  [
    'a setup of numbers',
    `${PROJECT}    setup: 5\n`,
    'must be a line for the shell, or a list of a program',
    5,
  ],
  [
    'a setup without program',
    `${PROJECT}    setup: [""]\n`,
    'projects.Setup.setup[0] must name a program',
    5,
  ],
  [
    'a copy from outside',
    `${PROJECT}    copy: [a, ../b]\n`,
    'projects.Setup.copy[1] must be a path inside',
    5,
  ],
  [
    'an absolute copy',
    `${PROJECT}    copy: [/etc/passwd]\n`,
    'projects.Setup.copy[0] must be a path inside',
    5,
  ],
  ['an unknown default role', `${PROJECT}    default_role: codr\n`, '"codr"; did you mean "coder"?', 5],
  ['an unknown backend', `${PROJECT}backend: lokal\n`, 'names no backend: "lokal"; did you mean "local"?', 5],
  [
    'an unknown project backend',
    `${PROJECT}    backend: wrk\n`,
    'names no backend: "wrk"; there are: local',
    5,
  ],
  ['the same project twice', `${PROJECT}  SETUP: {repository: x}\n`, 'the same name as "Setup"', 5],
  ['an address as repository', 'version: 1\nprojects: {a: {repository: "https://x/y"}}\n', 'clone it', 2],
  ['a remote as repository', 'version: 1\nprojects: {a: {repository: "git@x.org:y"}}\n', 'clone it', 2],
  ['an empty project name', 'version: 1\nprojects:\n  "": {repository: x}\n', 'it is empty', 3],
  ['a control character', 'version: 1\nroles:\n  "a\\u0007": {agent: claude}\n', 'control characters', 3],
  [
    'a backend named local',
    'version: 1\nbackends: {Local: {type: coder, url: "http://x", token_env: T}}\n',
    'Fleet has itself',
    2,
  ],
  [
    'a backend of another type',
    'version: 1\nbackends: {w: {type: k8s, url: "http://x", token_env: T}}\n',
    'must be coder, not "k8s"',
    2,
  ],
  ['a NUL in an argument', 'version: 1\nroles: {a: {agent: command, command: ["a\\0"]}}\n', 'NUL', 2],
  ['no place to start at', 'version: 1\nmax_starting: 0\n', 'max_starting must be at least 1', 2],
  ['half a place', 'version: 1\nmax_starting: 1.5\n', 'max_starting must be a whole number', 2],
  [
    'a server of nothing',
    'version: 1\nmcpServers: {a: {args: []}}\n',
    'needs a "command" to start or a "url"',
    2,
  ],
  [
    'a server of both',
    'version: 1\nmcpServers: {a: {command: x, url: y}}\n',
    'cannot be combined with command',
    2,
  ],
  [
    'a slow server',
    'version: 1\nmcpServers: {a: {command: x, timeout: 30001}}\n',
    'must be at most 30000',
    2,
  ],
] as const)('%s', ([, text, message, line]) => {
  const error = problem(text);
  expect(error.code).toBe('INVALID_INPUT');
  expect(error.message).toContain(message);
  expect(error.message).toContain(`${path}:${line}:`);
  expect(error.details).toMatchObject({ file: path, line });
});

test.for(['15', '"15"', '0m', '-1m', '1.5h', '15min', '25d', 'soon', '[]', ''])(
  'stuck_after %j is no duration [CFG-stuck-after]',
  (value) => {
    expect(parse(`${PROJECT}    stuck_after: 90s\n`).config.projects['Setup']?.stuck_after_ms).toBe(90_000);
    const error = problem(`${PROJECT}    stuck_after: ${value}\n`);
    expect(error.details).toMatchObject({ field: 'projects.Setup.stuck_after', line: 5 });
  },
);

test('a role of an agent that there is not, or with a command too few or too many [CFG-role-agents]', () => {
  const role = (text: string) => `version: 1\nroles:\n  r: ${text}\n`;
  for (const agent of ['claude', 'codex', 'opencode', 'qwen', 'gemini']) {
    expect(parse(role(`{agent: ${agent}}`)).config.roles['r']?.agent).toBe(agent);
  }
  for (const agent of ['acp', 'command']) {
    expect(parse(role(`{agent: ${agent}, command: [x]}`)).config.roles['r']?.command).toEqual(['x']);
    expect(problem(role(`{agent: ${agent}}`)).message).toContain('roles.r.command is missing');
    expect(problem(role(`{agent: ${agent}, command: []}`)).message).toContain('must not be empty');
    expect(problem(role(`{agent: ${agent}, command: [""]}`)).message).toContain('must name a program');
    expect(problem(role(`{agent: ${agent}, command: x}`)).message).toContain('must be a list, not "x"');
  }
  expect(problem(role('{agent: claud}')).message).toContain('not "claud"; did you mean "claude"?');
  expect(problem(role('{agent: claude, command: [x]}')).message).toContain(
    'has no meaning for the agent "claude"',
  );
  expect(problem(role('{description: x}')).message).toContain('roles.r.agent is missing');
  expect(parse('version: 1\nroles: {Coder: {description: x}}\n').config.roles['Coder']).toEqual({
    description: 'x',
  });
});

test('both forms of a system prompt, and a file that is not there', () => {
  const role = (text: string) => `version: 1\nroles:\n  coder: {${text}}\n`;
  expect(problem(role('system_prompt: a, system_prompt_file: b')).message).toContain(
    'cannot be combined with system_prompt',
  );
  expect(problem(role('system_prompt_file: not here.md')).message).toContain(
    `roles.coder.system_prompt_file names the file`,
  );
  expect(problem(role('system_prompt_file: .')).message).toContain('which is a directory');
  writeFileSync(join(directory, 'latin1.md'), Buffer.from([0x67, 0xfc, 0x74]));
  expect(problem(role('system_prompt_file: latin1.md')).message).toContain('which is not UTF-8 text');
});

test('environment names and values', () => {
  const role = (text: string) => problem(`version: 1\nroles:\n  coder: {${text}}\n`).message;
  expect(role('env: {A-B: x}')).toContain('roles.coder.env.A-B is not allowed as a name');
  expect(role('env: {A: true}')).toContain(
    'roles.coder.env.A must be text, not this boolean; put it in quotes',
  );
  expect(role('env_from: [A=B]')).toContain(
    'roles.coder.env_from[0] must be the name of an environment variable',
  );
  expect(role('on_crash: restart')).toContain('must be one of interrupt, resume, not "restart"');
});

test('several problems come together, in the order of the file', () => {
  const error = problem('version: 2\nbakend: local\nprojects:\n  a: {repository: 5}\n');
  expect(error.message.split('\n').map((line) => line.slice(path.length))).toEqual([
    ':1:10: version must be 1, not the number 2.',
    ':2:1: bakend is not a known key; did you mean "backend"?',
    ':4:19: projects.a.repository must be text, not the number 5; put it in quotes.',
  ]);
  const many = Array.from({ length: 30 }, (_, index) => `key${index}: x\n`).join('');
  expect(problem(`version: 1\n${many}`).message).toMatch(/… and 20 more\.$/);
});

test('huge values and keys do not flood the message', () => {
  const long = 'x'.repeat(1_000_000);
  expect(problem(`version: "${long}"\n`).message.length).toBeLessThan(1000);
  expect(problem(`{"version": 1, "${long}": 1}`).message.length).toBeLessThan(2000);
  expect(problem(`version: [${'1,'.repeat(10_000)}]\n`).message.length).toBeLessThan(1000);
});

test('aliases that multiply and lists that never end are refused at once', () => {
  const levels = Array.from(
    { length: 20 },
    (_, level) => `  a${level + 1}: &a${level + 1} [*a${level}, *a${level}]\n`,
  );
  const bomb = `version: 1\nmcpServers:\n  a0: &a0 {command: x}\n${levels.join('')}`;
  expect(problem(bomb).message).toContain('repeats itself by aliases too often');
  expect(problem(`version: ${'['.repeat(50_000)}`).message).toContain('nested too deep');
});

test.each([
  ['~', 'is your home directory'],
  ['/home/me/', 'is your home directory'],
  ['/', 'contains your home directory'],
  ['~/..', 'contains your home directory'],
  ['${HOME}', 'is your home directory'],
])('a role that lets agents write to %s is refused', (written, reason) => {
  const text = `version: 1\nroles:\n  coder:\n    write: ["./beside", "${written}"]\n`;
  const error = problem(text, { HOME: '/home/me' });
  expect(error).toMatchObject({ code: 'INVALID_INPUT', details: { field: 'roles.coder.write[1]', line: 4 } });
  expect(error.message).toContain(reason);
});

test('paths of a role are found from the directory of the file on', () => {
  const text =
    'version: 1\nroles:\n  coder:\n    write: [out, ~/data]\n    hide: [/srv/x]\n    sockets: [a.sock]\n';
  expect(parse(text, { HOME: '/home/me' }).config.roles['coder']).toMatchObject({
    write: [join(directory, 'out'), '/home/me/data'],
    hide: ['/srv/x'],
    sockets: [join(directory, 'a.sock')],
  });
});

test('no text at all is met with anything but a configuration or INVALID_INPUT', () => {
  const start = fc.constantFrom(
    '',
    'version: 1\n',
    PROJECT,
    'version: 1\nmcpServers:\n  a: ',
    'version: 1\nroles: {',
  );
  fc.assert(
    fc.property(start, fc.string({ unit: 'binary' }), (first, rest) => {
      try {
        return parse(first + rest).config.version === 1;
      } catch (error) {
        return (
          error instanceof FleetError && error.code === 'INVALID_INPUT' && error.message.startsWith(path)
        );
      }
    }),
    { numRuns: 500 },
  );
});
