import { existsSync, mkdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { FleetError, quote } from '../../domain/values/errors.ts';
import { writeFileAtomic } from '../../platform/write-file.ts';

export interface ClientFile {
  readonly path: string;
  /** The key whose value holds one entry a server. */
  readonly key: string;
}

export type Outcome = 'added' | 'replaced' | 'unchanged';

interface Read {
  readonly text: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Puts one entry into the file of an MCP client. All else in it stays, and so does a file that has it already. */
export function putEntry(file: ClientFile, name: string, entry: object): Outcome {
  const { text, settings } = read(file);
  const entries = entriesOf(file, settings);
  if (isDeepStrictEqual(entries[name], entry)) return 'unchanged';
  const changed = { ...settings, [file.key]: { ...entries, [name]: entry } };
  write(file.path, `${JSON.stringify(changed, null, indentOf(text))}\n`);
  return Object.hasOwn(entries, name) ? 'replaced' : 'added';
}

function read({ path }: ClientFile): Read {
  const text = existsSync(path) ? readText(path) : '';
  if (text.trim() === '') return { text, settings: {} };
  const settings = parse(path, text);
  if (isRecord(settings)) return { text, settings };
  throw unusable(path, 'holds no JSON object');
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw unusable(path, `cannot be read (${cause instanceof Error ? cause.message : String(cause)})`, cause);
  }
}

function parse(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw unusable(path, `is not JSON (${why})`, cause);
  }
}

function entriesOf({ path, key }: ClientFile, settings: Read['settings']): Readonly<Record<string, unknown>> {
  const entries = settings[key];
  if (entries === undefined) return {};
  if (isRecord(entries)) return entries;
  throw unusable(path, `has ${quote(key)} with a value that is not an object`);
}

function unusable(path: string, problem: string, cause?: unknown): FleetError {
  return new FleetError(
    'INVALID_INPUT',
    `The file ${quote(path)} ${problem}, so nothing was changed. Correct it, or add the entry of --print yourself.`,
    { field: 'file', file: path },
    cause,
  );
}

/** Renaming would put a file in the place of a link; what is linked to is what is meant. */
function write(path: string, text: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    const target = existsSync(path) ? realpathSync(path) : path;
    const mode = existsSync(target) ? statSync(target).mode & 0o777 : 0o644;
    writeFileAtomic(target, text, mode);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new FleetError('SERVICE_UNAVAILABLE', `${quote(path)} cannot be written: ${why}.`, {}, cause);
  }
}

/** As the file has it: the first indented line tells. */
function indentOf(text: string): string {
  return /^[{[]\r?\n([ \t]+)/.exec(text.trimStart())?.[1] ?? '  ';
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
