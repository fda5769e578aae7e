import type { Store } from './store.ts';

const DAY_MS = 86_400_000;

/** What the store keeps; what is older or more goes, the oldest first. */
export const STORE_LIMITS = {
  events: { count: 100_000, age_ms: 30 * DAY_MS },
  audit: { count: 100_000, age_ms: 90 * DAY_MS },
  answers: { age_ms: 7 * DAY_MS },
};

/** However old they are: a cursor is told from one that is too old by what is still there. */
const EVENTS_ALWAYS = 1_000;
/** Rows that go at once: nobody else can write meanwhile. */
const BATCH = 5_000;

export interface StoreRows {
  readonly events: number;
  readonly audit: number;
  readonly answers: number;
}

/** How many rows are beyond the limits. */
export function rowsBeyondLimits(store: Store, now_ms: number): StoreRows {
  return {
    events: countUpTo(store, 'events', eventsUpTo(store, now_ms)),
    audit: countUpTo(store, 'audit', auditUpTo(store, now_ms)),
    answers: Number(
      store.get('SELECT count(*) AS count FROM answers WHERE at < ?', answersBefore(now_ms))?.['count'],
    ),
  };
}

export function pruneEvents(store: Store, now_ms: number): void {
  removeUpTo(store, 'events', eventsUpTo(store, now_ms));
}

/** The audit log, and answers by idempotency key. */
export function pruneCalls(store: Store, now_ms: number): void {
  removeUpTo(store, 'audit', auditUpTo(store, now_ms));
  store.run('DELETE FROM answers WHERE at < ?', answersBefore(now_ms));
}

type Numbered = 'events' | 'audit';
const NUMBER = { events: 'cursor', audit: 'id' } as const;

function eventsUpTo(store: Store, now_ms: number): number {
  return Math.min(upTo(store, 'events', now_ms), numberBeyond(store, 'events', EVENTS_ALWAYS));
}

function auditUpTo(store: Store, now_ms: number): number {
  return upTo(store, 'audit', now_ms);
}

function answersBefore(now_ms: number): string {
  return new Date(now_ms - STORE_LIMITS.answers.age_ms).toISOString();
}

/** The number of the last row that goes. Rows are in the order of their time, so that the oldest are at the front. */
function upTo(store: Store, table: Numbered, now_ms: number): number {
  const { count, age_ms } = STORE_LIMITS[table];
  const young = store.get(
    `SELECT ${NUMBER[table]} AS number FROM ${table} WHERE at >= ? ORDER BY ${NUMBER[table]} LIMIT 1`,
    new Date(now_ms - age_ms).toISOString(),
  );
  const lastOld = young === undefined ? edge(store, table, 'max') : Number(young['number']) - 1;
  return Math.max(numberBeyond(store, table, count), lastOld);
}

/** The number of the first row beyond so many of the newest, 0 when there are fewer. Rows are counted: their numbers
 *  may be far apart, as after a store was rebuilt. */
function numberBeyond(store: Store, table: Numbered, count: number): number {
  // As many numbers as that cannot be more rows: a table within its limit is not counted.
  if (edge(store, table, 'max') - edge(store, table, 'min') < count) return 0;
  const number = NUMBER[table];
  const row = store.get(
    `SELECT ${number} AS number FROM ${table} ORDER BY ${number} DESC LIMIT 1 OFFSET ?`,
    count,
  );
  return Number(row?.['number'] ?? 0);
}

function removeUpTo(store: Store, table: Numbered, last: number): void {
  let first = edge(store, table, 'min');
  while (first > 0 && first <= last) {
    store.run(`DELETE FROM ${table} WHERE ${NUMBER[table]} <= ?`, Math.min(last, first + BATCH - 1));
    // Looked up again: numbers may be far apart.
    first = edge(store, table, 'min');
  }
}

function countUpTo(store: Store, table: Numbered, last: number): number {
  const row = store.get(`SELECT count(*) AS count FROM ${table} WHERE ${NUMBER[table]} <= ?`, last);
  return Number(row?.['count'] ?? 0);
}

function edge(store: Store, table: Numbered, which: 'min' | 'max'): number {
  return Number(store.get(`SELECT ${which}(${NUMBER[table]}) AS edge FROM ${table}`)?.['edge'] ?? 0);
}
