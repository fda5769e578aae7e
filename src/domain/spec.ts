import {
  LineCounter,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  parseAllDocuments,
  type Document,
  type Node,
  type YAMLMap,
} from 'yaml';
import { FleetError, quote } from './values/errors.ts';

const KEYS = ['objective', 'context', 'constraints', 'deliverables', 'checks'] as const;
type Key = (typeof KEYS)[number];

const FIRST_LINE = new RegExp(`^\\s*(?:---\\s+)?["']?(?:${KEYS.join('|')})["']?\\s*:(?:\\s|$)`);
const KEY_IN_BRACES = new RegExp(`[{,]\\s*["']?(?:${KEYS.join('|')})["']?\\s*:`);

/**
 * A spec is text, or a YAML or JSON document with some of the known keys. Prose is never refused, also when one of
 * the keys is a word of it: a document says so by its first line.
 */
export function checkSpec(text: string): string {
  if (text.trim() === '') throw invalid('The spec is empty. Describe the goal of the agent.', 1);
  const inBraces = text.trimStart().startsWith('{');
  if (!inBraces && !FIRST_LINE.test(text)) return text;

  const lines = new LineCounter();
  const document = firstDocument(text, lines);
  const lineOf = (node: Node | null) => lines.linePos(node?.range?.[0] ?? 0).line;
  const [error] = document.errors;
  if (error !== undefined) {
    if (inBraces && !KEY_IN_BRACES.test(text)) return text;
    const { line } = lines.linePos(error.pos[0]);
    throw invalid(
      `The spec has one of the keys ${KEYS.join(', ')} and cannot be read as YAML: line ${line}: ${error.message}. Fix it, or write it as plain text.`,
      line,
    );
  }
  if (isMap(document.contents)) checkKeys(document.contents, { document, lineOf });
  return text;
}

export interface SpecCheck {
  readonly name: string;
  /** A line for the shell. */
  readonly run: string;
}

/** The checks of a spec; none for one that is text. Throws as `checkSpec` does. */
export function specChecks(text: string): readonly SpecCheck[] {
  checkSpec(text);
  if (!text.trimStart().startsWith('{') && !FIRST_LINE.test(text)) return [];
  const document = firstDocument(text, new LineCounter());
  if (document.errors.length > 0 || !isMap(document.contents)) return [];
  const reading = { document, lineOf: () => 0 };
  const node = resolve(document.contents.get('checks', true), reading);
  const entries = isSeq(node) ? node.items.map((item) => resolve(item, reading)) : [node];
  return entries.flatMap((entry): readonly SpecCheck[] => {
    if (isMap(entry)) {
      const field = (name: string) => textOf(resolve(entry.get(name, true), reading));
      const run = field('run');
      return run === undefined ? [] : [{ name: field('name') ?? run, run }];
    }
    const run = textOf(entry);
    return run === undefined ? [] : [{ name: run, run }];
  });
}

function textOf(node: Node | null): string | undefined {
  return isScalar(node) && typeof node.value === 'string' ? node.value.trim() : undefined;
}

interface Reading {
  readonly document: Document;
  lineOf(node: Node | null): number;
}

/** Of text with front matter only the front matter is a document. */
function firstDocument(text: string, lineCounter: LineCounter): Document {
  const [first] = parseAllDocuments(text, {
    lineCounter,
    prettyErrors: false,
    stringKeys: true,
    logLevel: 'error',
  });
  if (first === undefined) throw invalid('The spec is empty. Describe the goal of the agent.', 1);
  return first;
}

function checkKeys(map: YAMLMap, reading: Reading): void {
  for (const { key, value } of map.items) {
    const name = isScalar(key) ? key.value : undefined;
    const known = KEYS.find((each) => each === name);
    if (known === undefined) continue;
    const node = resolve(value, reading);
    const problem = problemWith(known, node, reading);
    if (problem === undefined) continue;
    const line = reading.lineOf(problem.node ?? (isScalar(key) ? key : null));
    throw invalid(`The spec's ${quote(known)} in line ${line} ${problem.text}`, line);
  }
}

interface Problem {
  readonly text: string;
  readonly node: Node | null;
}

function problemWith(key: Key, node: Node | null, reading: Reading): Problem | undefined {
  const isText = isTextNode(node);
  if (key === 'objective' || key === 'context') {
    return isText
      ? undefined
      : { text: 'must be text; put it in quotes, or after "|" on separate lines.', node };
  }
  if (isText) return undefined;
  const items = key === 'checks' ? 'text, or of entries with "run" and perhaps "name"' : 'text';
  if (!isSeq(node)) return { text: `must be text or a list of ${items}.`, node };
  for (const item of node.items) {
    const entry = resolve(item, reading);
    if (isTextNode(entry) || (key === 'checks' && isCheck(entry, reading))) continue;
    const hint = isMap(entry) ? ' Text with ": " in it needs quotes.' : '';
    return { text: `must be a list of ${items}.${hint}`, node: entry };
  }
  return undefined;
}

function isCheck(node: Node | null, reading: Reading): boolean {
  if (!isMap(node)) return false;
  const text = (name: string) => resolve(node.get(name, true), reading);
  return isTextNode(text('run')) && (!node.has('name') || isTextNode(text('name')));
}

function isTextNode(node: Node | null): boolean {
  return isScalar(node) && typeof node.value === 'string' && node.value.trim() !== '';
}

function resolve(value: unknown, { document }: Reading): Node | null {
  if (isAlias(value)) return value.resolve(document) ?? null;
  return isNode(value) ? value : null;
}

function invalid(message: string, line: number): FleetError {
  return new FleetError('INVALID_INPUT', message, { field: 'spec', line });
}
