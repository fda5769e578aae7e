import type { Fact } from '../../domain/fact.ts';
import type { Door } from '../../domain/principal.ts';
import type { DetailedLogRow, HistoryRow, LogRow } from '../../domain/task.ts';

type Row = Record<string, unknown>;

/** Rows of our own tables: written by the journal alone, so their shape is known. */
export function factOfRow(row: Row): Fact {
  return {
    seq: Number(row['seq']),
    at: String(row['at']),
    awake_ms: Number(row['awake_ms']),
    boot: String(row['boot']),
    by: { principal: String(row['principal']), door: String(row['door']) as Door },
    body: JSON.parse(String(row['body'])) as Fact['body'],
  };
}

export function historyOfRow(row: Row): HistoryRow {
  return {
    id: String(row['id']),
    kind: row['kind'] as HistoryRow['kind'],
    message: String(row['message']),
    uri: row['uri'] === null ? null : String(row['uri']),
    needs_user_attention: row['attention'] === 1,
    created_at: String(row['created_at']),
    state: row['state'] as HistoryRow['state'],
    source: row['source'] as HistoryRow['source'],
    finished_at: row['finished_at'] === null ? null : String(row['finished_at']),
    // A journal of an older version has none of these.
    started_at: textOrNull(row['started_at']),
    result: textOrNull(row['result']),
    tokens: numberOrNull(row['tokens']),
    cost: numberOrNull(row['cost']),
  };
}

export function logOfRow(row: Row): LogRow {
  return {
    id: Number(row['id']),
    timestamp: String(row['at']),
    message: String(row['message']),
    level: row['level'] as LogRow['level'],
    type: row['type'] as LogRow['type'],
  };
}

/** A journal of an older version has no details. */
export function detailedLogOfRow(row: Row): DetailedLogRow {
  return { ...logOfRow(row), detail: textOrNull(row['detail']) };
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function numberOrNull(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}
