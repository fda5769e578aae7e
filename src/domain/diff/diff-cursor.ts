import { FleetError } from '../values/errors.ts';
import type { DiffSides } from './agent-diff.ts';
import { jsonIn } from '../values/text.ts';

/** Where a page of a diff begins, and of what: later pages show the state that the first one showed. */
export interface DiffCursor extends DiffSides {
  readonly file: number;
  /** Bytes of the file's patch that earlier pages had. */
  readonly offset: number;
}

const ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

export function writeCursor(cursor: DiffCursor): string {
  return Buffer.from(JSON.stringify(cursor)).toString('base64url');
}

export function readCursor(text: string): DiffCursor {
  const value = jsonIn(Buffer.from(text, 'base64url').toString());
  if (!isCursor(value))
    throw new FleetError('INVALID_INPUT', 'The cursor does not come from show_agent_diff.', {
      field: 'cursor',
    });
  return value;
}

function isCursor(value: unknown): value is DiffCursor {
  if (typeof value !== 'object' || value === null) return false;
  const { branch, base, head, from_tree, to_tree, file, offset, notes } = value as Record<string, unknown>;
  const isId = (id: unknown): boolean => typeof id === 'string' && ID.test(id);
  return (
    (branch === null || typeof branch === 'string') &&
    (base === null || isId(base)) &&
    (head === null || isId(head)) &&
    isId(from_tree) &&
    isId(to_tree) &&
    Number.isSafeInteger(file) &&
    Number(file) >= 0 &&
    Number.isSafeInteger(offset) &&
    Number(offset) >= 0 &&
    Array.isArray(notes) &&
    notes.every((note) => typeof note === 'string')
  );
}
