import { execFileSync } from 'node:child_process';
import { mkdtempSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ConfigSource, hashConfig, requireTrust } from './config-source.ts';
import { isTrusted, trust } from './trust.ts';

let root: string;
let path: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'fleet source ü-'));
  path = join(root, 'fleet.yaml');
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(root, { recursive: true });
});

function withProject(name: string): string {
  return `version: 1\nprojects:\n  ${name}: {repository: x}\n`;
}

function source(named = true) {
  return new ConfigSource({
    location: { path, named },
    env: {},
    isTrusted: (file, hash) => isTrusted(join(root, 'home'), file, hash),
  });
}

function projects(configs: ConfigSource): string[] {
  return Object.keys(configs.current().config.projects);
}

test('no file is an empty configuration that is trusted', () => {
  const loaded = new ConfigSource({ location: undefined, env: {}, isTrusted: () => false }).current();
  expect(loaded).toMatchObject({
    path: null,
    trusted: true,
    warnings: [],
    config: { backend: 'local', projects: {} },
  });
  requireTrust(loaded);
});

test('a file that was named needs no trust [CFG-trust-named]', () => {
  writeFileSync(path, withProject('a'));
  expect(() => requireTrust(source(false).current())).toThrow(expect.objectContaining({ code: 'FORBIDDEN' }));
  requireTrust(source(true).current());
});

test('a file is loaded with its place, its hash and its warnings', () => {
  const text = `${withProject('a')}mcpServers:\n  s: {command: x, foo: 1}\n`;
  writeFileSync(path, text);
  const loaded = source().current();
  expect(loaded).toMatchObject({ path, directory: root, hash: hashConfig(text), trusted: true });
  expect(loaded.warnings).toHaveLength(1);
});

test('a change takes hold at the next look, however it was made', () => {
  writeFileSync(path, withProject('aa'));
  const configs = source();
  expect(projects(configs)).toEqual(['aa']);
  writeFileSync(path, withProject('bb'));
  expect(projects(configs)).toEqual(['bb']);
  writeFileSync(`${path}.new`, withProject('cc'));
  renameSync(`${path}.new`, path);
  expect(projects(configs)).toEqual(['cc']);
});

test('a change is seen also when size and time of the file stay the same', () => {
  const before = new Date('2020-01-01T00:00:00Z');
  writeFileSync(path, withProject('aa'));
  utimesSync(path, before, before);
  const configs = source();
  expect(projects(configs)).toEqual(['aa']);
  writeFileSync(path, withProject('bb'));
  utimesSync(path, before, before);
  expect(statSync(path).mtime).toEqual(before);
  expect(projects(configs)).toEqual(['bb']);
});

test('the same content is not parsed again', () => {
  writeFileSync(path, withProject('aa'));
  const configs = source();
  const { config } = configs.current();
  expect(configs.current().config).toBe(config);
  writeFileSync(path, withProject('aa'));
  expect(configs.current().config).toBe(config);
});

test('a changed system prompt takes hold as well', () => {
  writeFileSync(path, 'version: 1\nroles:\n  coder: {system_prompt_file: p.md}\n');
  const configs = source();
  expect(() => configs.current()).toThrow(/p\.md", which does not exist/);
  writeFileSync(join(root, 'p.md'), 'one');
  expect(configs.current().config.roles['coder']?.system_prompt).toBe('one');
  writeFileSync(join(root, 'p.md'), 'two');
  expect(configs.current().config.roles['coder']?.system_prompt).toBe('two');
  rmSync(join(root, 'p.md'));
  expect(() => configs.current()).toThrow(/p\.md", which does not exist/);
});

test('a file that breaks is an error until it is fixed', () => {
  writeFileSync(path, withProject('aa'));
  const configs = source();
  configs.current();
  writeFileSync(path, 'version: [');
  expect(() => configs.current()).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
  rmSync(path);
  expect(() => configs.current()).toThrow(`The configuration ${JSON.stringify(path)} does not exist`);
  writeFileSync(path, withProject('bb'));
  expect(projects(configs)).toEqual(['bb']);
});

test('a file that appears where one is looked for takes hold', () => {
  let found = false;
  const location = () => (found ? { path, named: true } : undefined);
  const configs = new ConfigSource({ location, env: {}, isTrusted: () => false });
  expect(configs.current().path).toBeNull();
  writeFileSync(path, withProject('aa'));
  found = true;
  expect(projects(configs)).toEqual(['aa']);
});

test.for([
  ['a directory', (file: string) => join(file, '..'), 'is a directory'],
  ['a device', () => '/dev/null', 'is not a regular file'],
] as const)('%s is refused', ([, place, message]) => {
  const configs = new ConfigSource({
    location: { path: place(path), named: true },
    env: {},
    isTrusted: () => false,
  });
  expect(() => configs.current()).toThrow(message);
});

test('a file that is not UTF-8 is refused', () => {
  writeFileSync(path, Buffer.from('\uFEFFversion: 1\n', 'utf16le'));
  expect(() => source().current()).toThrow('is not UTF-8 text');
});

test('a file that was found is trusted by its hash, and no longer once it has changed', () => {
  writeFileSync(path, withProject('aa'));
  const configs = source(false);
  const loaded = configs.current();
  expect(loaded.trusted).toBe(false);
  expect(() => requireTrust(loaded)).toThrow(
    expect.objectContaining({
      code: 'FORBIDDEN',
      message: expect.stringContaining(`run: fleet trust '${path}'`) as unknown,
      details: { reason: 'config_not_trusted', file: path, command: `fleet trust '${path}'` },
    }),
  );

  trust(join(root, 'home'), { path, hash: loaded.hash, at: new Date(0).toISOString() });
  expect(configs.current().trusted).toBe(true);
  requireTrust(configs.current());

  writeFileSync(path, withProject('bb'));
  expect(configs.current().trusted).toBe(false);
  writeFileSync(path, withProject('aa'));
  expect(configs.current().trusted).toBe(true);
});

test.for([
  ['its first', {}],
  ['a further', { command: 'sh', args: ['first.sh'] }],
] as const)('trust ends when %s named file appears in the repository', ([, first]) => {
  git('init', '--quiet');
  const servers = {
    first: { command: 'true', ...first },
    later: { command: 'sh', args: ['-c', './run.sh'] },
  };
  writeFileSync(path, JSON.stringify({ version: 1, mcpServers: servers }));
  writeFileSync(join(root, 'first.sh'), '\n');
  git('add', 'first.sh');
  const configs = settled();
  expect(configs.current().trusted).toBe(true);
  writeFileSync(join(root, 'run.sh'), '\n');
  git('add', 'run.sh');
  expect(configs.current()).toMatchObject({
    trusted: false,
    files: expect.arrayContaining([join(root, 'run.sh')]),
  });
});

test('trust ends when git starts to track a named file, also where .git is a file', () => {
  git('init', '--quiet', '--separate-git-dir', '.repository');
  writeFileSync(path, JSON.stringify({ version: 1, mcpServers: { s: { command: './run.sh' } } }));
  writeFileSync(join(root, 'run.sh'), '\n');
  const configs = settled();
  expect(configs.current()).toMatchObject({ trusted: true, files: [] });
  // As a pull does it: the file is there before the index has it.
  git('add', 'run.sh');
  expect(configs.current()).toMatchObject({ trusted: false, files: [join(root, 'run.sh')] });
});

test('a configuration with named files that are absent or not tracked is not parsed again', () => {
  git('init', '--quiet');
  writeFileSync(join(root, 'data.db'), 'one');
  const args = ['-c', './run.sh --db=data.db'];
  writeFileSync(path, JSON.stringify({ version: 1, mcpServers: { s: { command: 'sh', args } } }));
  const configs = settled();
  const { config } = configs.current();
  writeFileSync(join(root, 'data.db'), 'two');
  expect(configs.current().config).toBe(config);
});

function git(...args: readonly string[]): void {
  execFileSync('git', args, { cwd: root });
}

/** A source that has read and trusts the file, long enough after it was written for its stamp to count. */
function settled(): ConfigSource {
  const configs = source(false);
  vi.setSystemTime(Date.now() + 60_000);
  const { hash } = configs.current();
  trust(join(root, 'home'), { path, hash, at: new Date(0).toISOString() });
  return configs;
}
