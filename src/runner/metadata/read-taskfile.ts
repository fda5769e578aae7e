import { statSync } from 'node:fs';
import { arch } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { parse } from 'yaml';
import { fileLook } from './file-look.ts';
import { readRegularFile } from './read-regular-file.ts';
import { TASKFILE_NAMES } from './taskfile-names.ts';

/** A task that carries `meta`. */
export interface FoundField {
  /** The name by which `task` runs it. */
  readonly task: string;
  readonly description: string;
  readonly include_in_list: boolean;
  /** What is wrong with its `meta`. */
  readonly error: string | null;
}

export interface ReadTaskfile {
  readonly fields: readonly FoundField[];
  /** Every path that was looked at, there or not, with its look before it was read: while none of them changes, neither
   *  do the fields. */
  readonly seen: Readonly<Record<string, string>>;
}

type Entries = Readonly<Record<string, unknown>>;

const PATH_LIMIT = 1_000;
const SIZE_LIMIT = 1_048_576;

/** Reads the fields of a Taskfile and of all that it includes, and runs nothing of it. Throws when go-task could not
 *  load it either. */
export function readTaskfile(file: string): ReadTaskfile {
  const seen: Record<string, string> = {};
  return { fields: fieldsOf(file, { seen, within: [], vars: {} }), seen };
}

interface Reading {
  readonly seen: Record<string, string>;
  /** The files that include this one. */
  readonly within: readonly string[];
  /** Variables that a path of an include may name. */
  readonly vars: Entries;
}

function fieldsOf(file: string, reading: Reading): readonly FoundField[] {
  if (reading.within.includes(file)) throw new Error(`${file} includes itself`);
  const content = readEntries(file, reading);
  if (content['version'] === undefined) throw new Error(`${file} has no version`);
  const inner = {
    ...reading,
    within: [...reading.within, file],
    vars: { ...reading.vars, ...entriesOf(content['vars'] ?? {}, `vars of ${file}`) },
  };
  const own = Object.entries(entriesOf(content['tasks'] ?? {}, `tasks of ${file}`));
  const included = Object.entries(entriesOf(content['includes'] ?? {}, `includes of ${file}`));
  return [
    ...own.flatMap(([name, task]) => fieldOf(name, task)),
    ...included.flatMap(([name, include]) => includedFields(name, include, { file, reading: inner })),
  ];
}

/** What a task is as a field; none for one without `meta`. An internal task cannot be run by its name. */
export function fieldOf(task: string, content: unknown): readonly FoundField[] {
  if (!isEntries(content) || !('meta' in content) || content['internal'] === true) return [];
  const { meta, desc } = content;
  const listed = isEntries(meta) ? meta['include_in_list'] : undefined;
  const good = typeof listed === 'boolean';
  return [
    {
      task,
      description: typeof desc === 'string' ? desc.trim() : '',
      include_in_list: good && listed,
      error: good
        ? null
        : listed === undefined
          ? 'meta has no include_in_list: it counts as false'
          : `include_in_list of meta is ${JSON.stringify(listed)}, not true or false: it counts as false`,
    },
  ];
}

function includedFields(
  namespace: string,
  include: unknown,
  { file, reading }: { readonly file: string; readonly reading: Reading },
): readonly FoundField[] {
  const options =
    typeof include === 'string' ? { taskfile: include } : entriesOf(include, `include ${namespace}`);
  if (options['internal'] === true) return [];
  const path = pathOf(String(options['taskfile'] ?? ''), reading.vars);
  if (path === undefined) return [];
  const target = isAbsolute(path) ? path : resolve(dirname(file), path);
  const found = [target, ...TASKFILE_NAMES.map((name) => join(target, name))].find((each) =>
    isFile(each, reading),
  );
  if (found === undefined) {
    if (options['optional'] === true) return [];
    throw new Error(`${target}, which ${file} includes, does not exist`);
  }
  const excludes: readonly unknown[] = Array.isArray(options['excludes']) ? options['excludes'] : [];
  return fieldsOf(found, reading)
    .filter(({ task }) => !excludes.includes(task))
    .map((field) => (options['flatten'] === true ? field : { ...field, task: `${namespace}:${field.task}` }));
}

/** Undefined for a path that only go-task can make out, or that is not on this machine: what it has is not shown. */
function pathOf(written: string, vars: Entries): string | undefined {
  const path = written.replaceAll(/\{\{\s*(\.?\w+)\s*\}\}/g, (whole, name: string) => {
    if (name === 'OS') return process.platform;
    if (name === 'ARCH') return arch() === 'x64' ? 'amd64' : arch();
    const value = vars[name.slice(1)];
    return typeof value === 'string' ? value : whole;
  });
  return path === '' || path.includes('{{') || /^\w+:\/\/|^git@/.test(path) ? undefined : path;
}

function readEntries(file: string, { seen }: Reading): Entries {
  seen[file] ??= fileLook(file);
  if (Object.keys(seen).length > PATH_LIMIT) throw new Error('it includes too many files');
  return entriesOf(parse(readRegularFile(file, SIZE_LIMIT), { merge: true, logLevel: 'error' }), file);
}

/** What is neither a file nor a directory counts as one: go-task would read it, and reading it says what is wrong. */
function isFile(path: string, { seen }: Reading): boolean {
  seen[path] ??= fileLook(path);
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === false;
}

function entriesOf(value: unknown, what: string): Entries {
  if (isEntries(value)) return value;
  throw new Error(`${what} is not a mapping`);
}

function isEntries(value: unknown): value is Entries {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
