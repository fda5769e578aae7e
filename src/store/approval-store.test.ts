import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Question } from '../domain/approvals/approval.ts';
import { ApprovalStore } from './approval-store.ts';
import { Store } from './store.ts';

const QUESTION: Question = { kind: 'tool_call', tool: 'files__delete', input: { path: 'a' }, options: [] };
const CALL = { asked_by: 'mcp:stdio', digest: 'one' };
const ALLOW = { decision: 'allow', option: null, answer: null, note: null } as const;
const BY = { principal: 'user:tester', door: 'cli' } as const;

let home: string;
let store: Store;
let approvals: ApprovalStore;
let at: number;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'fleet-approvals-'));
  store = new Store(home);
  at = Date.parse('2026-01-01T00:00:00Z');
  approvals = new ApprovalStore(store, { now: () => ({ at, awake_ms: at, boot: 'boot' }) });
});
afterEach(() => {
  store[Symbol.dispose]();
  rmSync(home, { recursive: true });
});

function ask(call = CALL) {
  return approvals.ask(call, QUESTION, 60_000);
}

function openId(): string {
  const verdict = ask();
  if (verdict.state !== 'open') throw new Error(`it is ${verdict.state}`);
  return verdict.approval.id;
}

it('lets an allowed call run once, for the caller and the arguments that were asked about', () => {
  const id = openId();
  expect(openId()).toBe(id);
  expect(approvals.open()).toHaveLength(1);
  approvals.answer(id, ALLOW, BY);
  expect(ask({ ...CALL, digest: 'other arguments' }).state).toBe('open');
  expect(ask({ ...CALL, asked_by: 'token:other' }).state).toBe('open');
  expect(ask()).toEqual({ state: 'allowed', answered_by: 'user:tester', answer: ALLOW });
  expect(ask().state).toBe('open');
});

it('reports a denial once, and asks again after that', () => {
  approvals.answer(openId(), { ...ALLOW, decision: 'deny', note: 'no' }, BY);
  expect(ask()).toEqual({ state: 'denied', note: 'no' });
  expect(ask().state).toBe('open');
});

it('takes the first answer, and none that comes too late', () => {
  const id = openId();
  approvals.answer(id, ALLOW, BY);
  expect(() => approvals.answer(id, ALLOW, BY)).toThrow(expect.objectContaining({ code: 'CONFLICT' }));
  at += 60_000;
  expect(ask().state).toBe('open');
  const late = openId();
  at += 60_000;
  expect(approvals.open()).toEqual([]);
  expect(() => approvals.answer(late, ALLOW, BY)).toThrow(expect.objectContaining({ code: 'CONFLICT' }));
  expect(() => approvals.answer('call-none', ALLOW, BY)).toThrow(
    expect.objectContaining({ code: 'NOT_FOUND' }),
  );
});

it('closes a question whose call was decided where it was made, and asks again the next time', () => {
  const id = openId();
  const other = ask({ ...CALL, digest: 'other arguments' });
  approvals.settle(CALL, 'allow');
  expect(approvals.open().map((each) => each.id)).toEqual([other.state === 'open' ? other.approval.id : '']);
  expect(() => approvals.answer(id, ALLOW, BY)).toThrow(/is closed/);
  expect(openId()).not.toBe(id);
});

it('stores no question that the user of a client is asked, and keeps one that is open', () => {
  const announced = approvals.announce(CALL, QUESTION);
  expect(approvals.open()).toEqual([]);
  expect(() => approvals.answer(announced, ALLOW, BY)).toThrow(
    expect.objectContaining({ code: 'NOT_FOUND' }),
  );
  const id = openId();
  expect(approvals.announce(CALL, QUESTION)).toBe(id);
  approvals.withdraw(id, CALL.asked_by);
  expect(approvals.open().map((each) => each.id)).toEqual([id]);
});
