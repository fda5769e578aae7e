import {
  LineCounter,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  parseDocument,
  visit,
  type Document,
  type Node,
  type Pair,
} from 'yaml';
import { FleetError, quote } from '../domain/values/errors.ts';
import { fieldOf, type KeyPath } from './key-path.ts';

export interface Place {
  readonly line: number;
  readonly column: number;
}

/** A parsed file that still knows where everything stands. */
export interface YamlSource {
  readonly path: string;
  readonly document: Document.Parsed;
  readonly lines: LineCounter;
  /** The same as plain values. */
  readonly value: unknown;
}

/** Reads YAML, and so JSON. What is wrong with it as YAML is an error with its place. */
export function readYaml(text: string, path: string): YamlSource {
  const lines = new LineCounter();
  const document = parseDocument(text.replace(/^\uFEFF/, ''), {
    lineCounter: lines,
    prettyErrors: false,
    stringKeys: true,
    logLevel: 'error',
  });
  const problem = [...document.errors, ...document.warnings].at(0) ?? problemWithNodes(document);
  if (problem !== undefined) {
    const { line, col } = lines.linePos(problem.pos[0]);
    throw yamlError(wording(problem), { path, line, column: col, key: keyAt(document, problem.pos[0]) });
  }
  try {
    return { path, document, lines, value: document.toJS({ maxAliasCount: 100 }) };
  } catch (error) {
    throw yamlError('it repeats itself by aliases too often', { path, line: 1, column: 1 }, error);
  }
}

/** Where a key or its value stands; for what is not there, the nearest key above it that is. */
export function placeOf({ document, lines }: YamlSource, path: KeyPath, ofKey: boolean): Place {
  let node: unknown = document.contents;
  let found: { key: unknown; value: unknown } = { key: node, value: node };
  let whole = true;
  for (const part of path) {
    const next = childOf(isAlias(node) ? node.resolve(document) : node, part);
    if (next === undefined) {
      whole = false;
      break;
    }
    found = next;
    node = next.value;
  }
  const offset = (whole && !ofKey ? startOf(found.value) : undefined) ?? startOf(found.key) ?? 0;
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col) };
}

interface SyntaxProblem {
  readonly message: string;
  readonly pos: readonly [number, number];
  readonly code?: string;
}

/** What the parser lets through, and plain values could not hold. */
function problemWithNodes(document: Document.Parsed): SyntaxProblem | undefined {
  let problem: SyntaxProblem | undefined;
  const stop = (node: Node, message: string) => {
    const start = startOf(node) ?? 0;
    problem = { message, pos: [start, start + 1] };
    return visit.BREAK;
  };
  visit(document, {
    Alias(_key, alias, ancestors) {
      const target = alias.resolve(document);
      if (target === undefined)
        return stop(alias, `there is no anchor for the alias ${quote(`*${alias.source}`)} above it`);
      if (ancestors.includes(target))
        return stop(alias, `the alias ${quote(`*${alias.source}`)} contains itself`);
      return undefined;
    },
    Pair(_key, pair) {
      return isScalar(pair.key) && pair.key.value === '__proto__'
        ? stop(pair.key, '"__proto__" cannot be a key')
        : undefined;
    },
  });
  return problem;
}

const WORDING: Readonly<Record<string, string>> = {
  DUPLICATE_KEY: 'this key is there twice',
  TAB_AS_INDENT: 'tabs cannot indent YAML; use spaces',
  MULTIPLE_DOCS: 'there is a second document ("---"); a configuration is one',
  RESOURCE_EXHAUSTION: 'it is nested too deep',
  NON_STRING_KEY: 'a key must be text',
};

function wording({ code = '', message }: SyntaxProblem): string {
  return WORDING[code] ?? message;
}

function yamlError(
  problem: string,
  { path, line, column, key }: Place & { path: string; key?: KeyPath | undefined },
  cause?: unknown,
): FleetError {
  const field = key === undefined ? {} : { field: fieldOf(key) };
  return new FleetError(
    'INVALID_INPUT',
    `${path}:${line}:${column}: ${field.field ?? 'this is not YAML that Fleet can read'}: ${problem}.`,
    { ...field, file: path, line, column },
    cause,
  );
}

/** The path of the key that starts there, if one does. */
function keyAt(document: Document.Parsed, offset: number): KeyPath | undefined {
  let found: KeyPath | undefined;
  visit(document, {
    Pair(_key, pair, ancestors) {
      if (startOf(pair.key) !== offset) return undefined;
      found = [...ancestors, pair].flatMap((node) =>
        isPair(node) && isScalar(node.key) ? [String(node.key.value)] : [],
      );
      return visit.BREAK;
    },
  });
  return found;
}

function childOf(node: unknown, part: string | number): { key: unknown; value: unknown } | undefined {
  if (isSeq(node)) {
    const value = typeof part === 'number' ? node.items[part] : undefined;
    return value === undefined ? undefined : { key: value, value };
  }
  if (!isMap(node)) return undefined;
  return node.items.find(({ key }: Pair) => isScalar(key) && String(key.value) === String(part));
}

function startOf(node: unknown): number | undefined {
  return isScalar(node) || isMap(node) || isSeq(node) || isAlias(node) ? node.range?.[0] : undefined;
}
