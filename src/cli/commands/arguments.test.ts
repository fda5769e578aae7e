import { describe, expect, it } from 'vitest';
import type { LogRow } from '../../domain/task.ts';
import { plain } from '../output/output.ts';
import type { Session } from '../calls/run-operation.ts';
import { createInput } from './create.ts';
import { listInput } from './list.ts';
import { logLine, newRows } from './log.ts';
import { parseScopes } from './mcp.ts';
import { parseMeta } from './meta.ts';
import { isLoopback } from '../serving/run-server.ts';
import { whenBusyOf } from './task.ts';
import { waitInput } from './wait.ts';

describe('options become inputs', () => {
  it('of list', () => {
    expect(listInput({ status: 'busy', project: 'Setup', pr: '7', page: 2, pageSize: 5 })).toEqual({
      status_filter: 'busy',
      project_filter: 'Setup',
      pull_request_filter: '7',
      page: 2,
      page_size: 5,
    });
  });

  it('of create', () => {
    const given = { project: 'Setup', task: 'x', spec: 'y' };
    expect(createInput(given, { name: 'sony', prUrl: 'https://a/1', key: 'k', base: 'main' })).toMatchObject({
      ...given,
      name: 'sony',
      pull_request_url: 'https://a/1',
      idempotency_key: 'k',
      base: 'main',
    });
  });

  it('of task', () => {
    expect(whenBusyOf({})).toBeUndefined();
    expect(whenBusyOf({ queue: true })).toBe('queue');
    expect(whenBusyOf({ interrupt: true })).toBe('interrupt');
    expect(() => whenBusyOf({ queue: true, interrupt: true })).toThrow('not both');
  });

  it('of wait', () => {
    expect(waitInput([], {}).agent_names).toBeUndefined();
    expect(waitInput(['a', 'b'], { until: 'attention', timeout: 5 })).toMatchObject({
      agent_names: 'a,b',
      until: 'attention',
      timeout_seconds: 5,
    });
  });

  it('of mcp, with the nearest scope for one that is none', () => {
    expect([...parseScopes('read, operate')]).toEqual(['read', 'operate']);
    expect(() => parseScopes('read,oprate')).toThrow(
      '"oprate" is not a scope: they are read, operate, approve. Did you mean "operate"?',
    );
    expect(() => parseScopes('')).toThrow('"" is not a scope');
    expect(() => parseScopes('self')).toThrow('"self" is not a scope');
  });
});

describe('the words of meta', () => {
  it('outside an agent', () => {
    expect(parseMeta(['sony'], false)).toEqual({ act: 'show', name: 'sony' });
    expect(parseMeta(['set', 'sony', 'k', 'v'], false)).toEqual({
      act: 'set',
      name: 'sony',
      key: 'k',
      value: 'v',
    });
    expect(parseMeta(['unset', 'sony', 'k'], false)).toEqual({
      act: 'set',
      name: 'sony',
      key: 'k',
      value: null,
    });
    expect(parseMeta(['set'], false)).toEqual({ act: 'show', name: 'set' });
  });

  it('inside one, where the name may be left out', () => {
    expect(parseMeta([], true)).toEqual({ act: 'show', name: undefined });
    expect(parseMeta(['set', 'k', 'v'], true)).toEqual({ act: 'set', name: undefined, key: 'k', value: 'v' });
    expect(parseMeta(['unset', 'k'], true)).toEqual({ act: 'set', name: undefined, key: 'k', value: null });
  });

  it.each([[[]], [['a', 'b']], [['set', 'k', 'v']], [['unset', 'k']], [['set', 'a', 'b', 'c', 'd']]])(
    '%j is none of them',
    (words) => {
      expect(parseMeta(words, false)).toBeUndefined();
    },
  );
});

it('knows which hosts stay on this machine', () => {
  expect(['127.0.0.1', '127.9.9.9', '::1', 'localhost'].map(isLoopback)).toEqual([true, true, true, true]);
  expect(['0.0.0.0', '::', '192.168.1.2', '127.example.com'].map(isLoopback)).toEqual([
    false,
    false,
    false,
    false,
  ]);
});

describe('the log', () => {
  const row = (id: number, message = `line ${id}`): LogRow => ({
    id,
    timestamp: '2026-03-01T12:00:00.000Z',
    message,
    level: 'INFO',
    type: 'output',
  });

  it('indents the further lines of an entry and prints none of its control characters', () => {
    const text = logLine(row(1, 'one\ntwo\u001b[31m\n'), Date.now(), plain);
    const [first, second] = text.split('\n');
    expect(first?.endsWith('one')).toBe(true);
    expect(second).toBe(`${' '.repeat((first?.length ?? 0) - 3)}two\\x1b[31m`);
  });

  it('is followed without a gap or a repetition while pages shift', async () => {
    const rows = Array.from({ length: 350 }, (_, index) => row(index + 1));
    // Each look at a page finds ten entries more, so that every page overlaps the one before.
    const call = async (_name: string, input: object) => {
      const { page = 1, page_size = 1 } = input as { page?: number; page_size?: number };
      const newest = rows.toReversed();
      const logs = newest.slice((page - 1) * page_size, page * page_size);
      for (let more = 0; more < 10; more++) rows.push(row(rows.length + 1));
      return { logs, has_next_page: page * page_size < newest.length };
    };
    const session = { call } as unknown as Pick<Session, 'call'>;
    const first = await newRows(session, 'sony', { last: 20 });
    expect(first === 'gone' ? [] : first.map(({ id }) => id)).toEqual(
      Array.from({ length: 330 }, (_, index) => index + 21),
    );
  });
});
