import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Question } from '../domain/approval.ts';
import { ApprovalBook } from './approval-book.ts';
import { Store } from './store.ts';

const QUESTION: Question = { kind: 'tool_call', tool: 'files__delete', input: { path: 'a' }, options: [] };
const CALL = { asked_by: 'mcp:stdio', digest: 'one' };
const ALLOW = { decision: 'allow', option: null, answer: null, note: null } as const;
const BY = { principal: 'user:tester', door: 'cli' } as const;

let home: string;
let store: Store;
let book: ApprovalBook;
let at: number;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'fleet-book-'));
  store = new Store(home);
  at = Date.parse('2026-01-01T00:00:00Z');
  book = new ApprovalBook(store, { now: () => ({ at, awake_ms: at, boot: 'boot' }) });
});
afterEach(() => {
  store[Symbol.dispose]();
  rmSync(home, { recursive: true });
});

function ask(call = CALL) {
  return book.ask(call, QUESTION, 60_000);
}

function openId(): string {
  const verdict = ask();
  if (verdict.state !== 'open') throw new Error(`it is ${verdict.state}`);
  return verdict.approval.id;
}

it('lets an allowed call run once, for the caller and the arguments that were asked about', () => {
  const id = openId();
  expect(openId()).toBe(id);
  expect(book.open()).toHaveLength(1);
  book.answer(id, ALLOW, BY);
  expect(ask({ ...CALL, digest: 'other arguments' }).state).toBe('open');
  expect(ask({ ...CALL, asked_by: 'token:other' }).state).toBe('open');
  expect(ask()).toEqual({ state: 'allowed', answered_by: 'user:tester' });
  expect(ask().state).toBe('open');
});

it('tells a denied call so, once, and asks anew after that', () => {
  book.answer(openId(), { ...ALLOW, decision: 'deny', note: 'no' }, BY);
  expect(ask()).toEqual({ state: 'denied', note: 'no' });
  expect(ask().state).toBe('open');
});

it('takes the first answer, and none that comes too late', () => {
  const id = openId();
  book.answer(id, ALLOW, BY);
  expect(() => book.answer(id, ALLOW, BY)).toThrow(expect.objectContaining({ code: 'CONFLICT' }));
  at += 60_000;
  expect(ask().state).toBe('open');
  const late = openId();
  at += 60_000;
  expect(book.open()).toEqual([]);
  expect(() => book.answer(late, ALLOW, BY)).toThrow(expect.objectContaining({ code: 'CONFLICT' }));
  expect(() => book.answer('call-none', ALLOW, BY)).toThrow(expect.objectContaining({ code: 'NOT_FOUND' }));
});

it('closes a question whose call was decided where it was made, and asks again the next time', () => {
  const id = openId();
  const other = ask({ ...CALL, digest: 'other arguments' });
  book.settle(CALL, 'allow');
  expect(book.open().map((each) => each.id)).toEqual([other.state === 'open' ? other.approval.id : '']);
  expect(() => book.answer(id, ALLOW, BY)).toThrow(/is closed/);
  expect(openId()).not.toBe(id);
});
