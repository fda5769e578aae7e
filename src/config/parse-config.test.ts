import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { configPlace, PROJECT } from '../../test/support/fleets/parsed-config.ts';

const { directory, path, parse, problem } = configPlace();

describe('a good configuration', () => {
  test('the example of the documentation, whole', () => {
    const example = readFileSync(new URL('../../schema/fleet.example.yaml', import.meta.url), 'utf8');
    const { config, warnings } = parse(example, { SOME_TOKEN: 'abc' });
    expect(warnings).toEqual([]);
    expect(config.backends).toEqual({
      work: { type: 'coder', url: 'https://coder.example.com', token_env: 'WORK_CODER_TOKEN' },
    });
    expect(config.projects['Setup']).toEqual({
      repository: join(directory, 'setup'),
      base: 'main',
      description: 'Development container for coding tasks',
      default_role: 'coder',
      stuck_after_ms: 15 * 60_000,
      sleep_after_ms: 5 * 60_000,
      setup: 'npm ci',
      copy: ['.env'],
      backend: 'local',
    });
    expect(config.roles['checker']).toEqual({ agent: 'command', command: ['npm', 'test'] });
    expect(config.mcpServers['files']).toMatchObject({
      command: 'npx',
      approve: 'destructive',
      prefix: true,
    });
    expect(config.mcpServers['remote']).toMatchObject({
      headers: { Authorization: 'Bearer abc' },
      timeout: 10_000,
      missing_variables: [],
    });
  });

  test('YAML and JSON say the same [CFG-yaml-json]', () => {
    const json = '{"version": 1, "projects": {"Setup": {"repository": "./setup"}}}';
    expect(parse(json).config).toEqual(parse(PROJECT).config);
    for (const version of ['2', '0', '"1"', 'true', '[1]', '']) {
      expect(problem(`version: ${version}\n`).details).toMatchObject({ field: 'version', line: 1 });
    }
    expect(problem('projects: {}\n').message).toContain('version is missing; write "version: 1"');
  });

  test('a byte order mark and the line ends of Windows change nothing', () => {
    expect(parse(`\uFEFF${PROJECT.replaceAll('\n', '\r\n')}`).config).toEqual(parse(PROJECT).config);
    expect(problem('\uFEFFversion: 1\r\nprojects:\r\n  Setup:\r\n    bse: x\r\n').details).toMatchObject({
      line: 4,
      column: 5,
    });
  });

  test('anchors and aliases work, and a problem behind one has a place', () => {
    const text = `version: 1\nprojects:\n  a: &a {repository: x}\n  b: *a\n`;
    expect(parse(text).config.projects['b']).toEqual(parse(text).config.projects['a']);
    expect(problem('version: 1\nprojects:\n  a: &a {base: x}\n  b: *a\n').message).toContain(
      `${path}:4:3: projects.b.repository is missing`,
    );
  });

  test('projects are on the local backend unless the file or the project says otherwise', () => {
    expect(parse(PROJECT).config.projects['Setup']?.backend).toBe('local');
    expect(parse(`${PROJECT}backend: coder\n`).config.projects['Setup']?.backend).toBe('coder');
    expect(parse(`${PROJECT}    backend: local\nbackend: coder\n`).config.projects['Setup']?.backend).toBe(
      'local',
    );
  });

  test('paths are taken from the directory of the file, and ~/ from the home directory', () => {
    mkdirSync(join(directory, 'prompts'), { recursive: true });
    writeFileSync(join(directory, 'prompts', 'größe 1.md'), 'Be kind.\n');
    const text = `version: 1
projects:
  a: {repository: "../böse Pfade/x y"}
  b: {repository: ~/src/b}
  c: {repository: /abs}
roles:
  kind: {agent: claude, system_prompt_file: prompts/größe 1.md}
`;
    const { config } = parse(text, { HOME: '/home/somebody' });
    expect(Object.values(config.projects).map(({ repository }) => repository)).toEqual([
      join(directory, '..', 'böse Pfade', 'x y'),
      '/home/somebody/src/b',
      '/abs',
    ]);
    expect(config.roles['kind']?.system_prompt).toBe('Be kind.\n');
  });

  test('a value of a megabyte is kept whole', () => {
    const long = 'wörd '.repeat(200_000);
    const { config } = parse(`version: 1\nroles:\n  coder: {system_prompt: "${long}"}\n`);
    expect(config.roles['coder']?.system_prompt).toBe(long);
  });

  test('setup is a line for the shell or a program with its arguments', () => {
    const setup = (value: string) => parse(`${PROJECT}    setup: ${value}\n`).config.projects['Setup']?.setup;
    expect(setup('npm ci && make')).toBe('npm ci && make');
    expect(setup('[make, "a b", ""]')).toEqual(['make', 'a b', '']);
  });

  test('names that objects have from birth are names like any other', () => {
    const { config } = parse(
      'version: 1\nprojects:\n  constructor: {repository: x}\n  toString: {repository: y}\n',
    );
    expect(Object.keys(config.projects)).toEqual(['constructor', 'toString']);
  });
});

describe('variables', () => {
  const TEXT = `version: 1
backends:
  work: { type: coder, url: "https://\${HOST}/", token_env: T }
projects:
  Setup: { repository: "\${ROOT}/setup", base: "\${BASE:-main}", description: "\${ROOT}" }
roles:
  coder: { env: { A: "\${ROOT}-\${HOST}", B: "$\${ROOT}", C: "$ROOT $ {x} \${EMPTY}" }, model: "\${ROOT}" }
`;

  test('are filled in where they are meant to be, and nowhere else [CFG-variables]', () => {
    const { config } = parse(TEXT, { HOST: 'h.example', ROOT: '/r', EMPTY: '' });
    expect(config.backends['work']?.url).toBe('https://h.example/');
    expect(config.projects['Setup']).toMatchObject({
      repository: '/r/setup',
      base: 'main',
      description: '${ROOT}',
    });
    expect(config.roles['coder']).toMatchObject({
      env: { A: '/r-h.example', B: '${ROOT}', C: '$ROOT $ {x} ' },
      model: '${ROOT}',
    });
    const unset = problem(TEXT, { HOST: 'h.example', EMPTY: '' });
    expect(unset.message).toContain(
      'projects.Setup.repository needs the environment variable "ROOT", which is not set',
    );
    expect(unset.message).toContain('roles.coder.env.A needs the environment variable "ROOT"');
  });

  test('that are not set do not stop the load inside mcpServers: a warning, and the server knows', () => {
    const text =
      'version: 1\nmcpServers:\n  a: {command: x, args: ["${NO}"], env: {K: "${NO}${YES}${NEITHER}"}}\n';
    const { config, warnings } = parse(text, { YES: 'yes' });
    expect(config.mcpServers['a']).toMatchObject({
      args: ['${NO}'],
      env: { K: '${NO}yes${NEITHER}' },
      missing_variables: ['NO', 'NEITHER'],
    });
    expect(warnings[0]).toBe(
      `${path}:3:26: mcpServers.a.args[0] needs the environment variable "NO", which is not set.`,
    );
  });

  test('never put their value into an error', () => {
    const error = problem('version: 1\nbackends:\n  w: {type: coder, url: "${U}", token_env: T}\n', {
      U: 's3cret',
    });
    expect(error.message).toContain('backends.w.url must be an address');
    expect(JSON.stringify(error.toBody())).not.toContain('s3cret');
    expect(problem('version: 1\nroles:\n  coder: {env: {TOKEN: 12345}}\n').message).not.toContain('12345');
  });

  test('that are malformed or leave nothing are refused', () => {
    const refusal = (repository: string) =>
      problem(`version: 1\nprojects:\n  a: {repository: "${repository}"}\n`, { EMPTY: ' ' }).message;
    expect(refusal('${EMPTY}')).toContain('projects.a.repository is empty once its variables are filled in');
    expect(refusal('${1}/x')).toContain('"${1}", which names no variable');
    expect(refusal('${OPEN')).toContain('"${", which names no variable');
  });
});
