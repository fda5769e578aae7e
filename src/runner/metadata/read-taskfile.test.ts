import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readTaskfile } from './read-taskfile.ts';
import { TASKFILE_NAMES } from './taskfile-names.ts';
import { taskfileOf } from './taskfile-of.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'fleet-taskfile-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const LEAF = `version: '3'\ntasks: {leaf: {meta: {include_in_list: true}}, other: {meta: {}}}\n`;

it('finds the Taskfile by every name that go-task accepts, in its order', () => {
  expect(taskfileOf(directory)).toBeUndefined();
  for (const name of TASKFILE_NAMES.toReversed()) {
    write(name, LEAF);
    expect(taskfileOf(directory)).toBe(join(directory, name));
  }
});

it('gives tasks of an include its namespace, and follows includes of includes', () => {
  write(
    'Taskfile.yml',
    `version: '3'\nincludes: {a: ./deep, b: {taskfile: ./leaf.yml, flatten: true, excludes: [other]}}\n`,
  );
  write(
    'deep/Taskfile.yaml',
    `version: '3'\nincludes: {c: ../leaf.yml, d: {taskfile: ../leaf.yml, internal: true}}\n`,
  );
  write('leaf.yml', LEAF);
  expect(names()).toEqual(['a:c:leaf', 'a:c:other', 'leaf']);
});

it('makes out a path with variables of the file, and leaves what only go-task could', () => {
  write(
    'Taskfile.yml',
    `version: '3'\nvars: {DIR: leaves, SHELL: {sh: pwd}}\nincludes: {a: './{{.DIR}}/leaf.yml', b: './{{.SHELL}}/x.yml', c: 'https://example.com/x.yml'}\n`,
  );
  write('leaves/leaf.yml', LEAF);
  expect(names()).toEqual(['a:leaf', 'a:other']);
});

it('knows merge keys, as go-task does', () => {
  write(
    'Taskfile.yml',
    `version: '3'\nx-meta: &m {meta: {include_in_list: true}}\ntasks: {a: {<<: *m, cmd: echo}}\n`,
  );
  expect(readTaskfile(join(directory, 'Taskfile.yml')).fields).toMatchObject([
    { task: 'a', include_in_list: true },
  ]);
});

it('refuses what go-task would not load', () => {
  for (const text of [
    'tasks: {}',
    `version: '3'\ntasks: []`,
    `version: '3'\nincludes: {a: ./gone.yml}`,
    `version: '3'\nincludes: {a: ./Taskfile.yml}`,
    'version: "3',
    '',
  ]) {
    write('Taskfile.yml', text);
    expect(() => readTaskfile(join(directory, 'Taskfile.yml')), text).toThrow();
  }
});

it('remembers all that it looked at, also what was not there', () => {
  write('Taskfile.yml', `version: '3'\nincludes: {a: {taskfile: ./gone, optional: true}}\n`);
  const { seen } = readTaskfile(join(directory, 'Taskfile.yml'));
  expect(seen[join(directory, 'gone', 'Taskfile.yml')]).toBe('');
  expect(seen[join(directory, 'Taskfile.yml')]).not.toBe('');
});

function names(): readonly string[] {
  return readTaskfile(join(directory, 'Taskfile.yml')).fields.map(({ task }) => task);
}

function write(name: string, text: string): void {
  mkdirSync(dirname(join(directory, name)), { recursive: true });
  writeFileSync(join(directory, name), text);
}
