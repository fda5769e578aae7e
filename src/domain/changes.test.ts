import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { factSequence, foldAll } from '../../test/support/fact-sequences.ts';
import { changesOf, fieldsChange, pullRequestChange, stuckChange, type Change } from './changes.ts';
import type { Fact, FactBody } from './fact.ts';
import { EVENT_KINDS } from './fleet-event.ts';
import { EMPTY_STATE, fold, type AgentState } from './state.ts';
import { deriveStatus } from './status.ts';
import { LIST_TEXT_LIMIT } from './values/text.ts';

const NOW = { at: 1_800_000_000_000, awake_ms: 0, boot: 'boot-1' };

const OWN_KIND: Readonly<Record<string, string>> = {
  'agent.created': 'agent.created',
  'agent.deleted': 'agent.deleted',
  'task.accepted': 'task.accepted',
  'task.started': 'task.started',
  'task.ended': 'task.ended',
  report: 'report',
  'metadata.set': 'metadata',
  'checks.started': 'check',
  'checks.ended': 'check',
};

describe('the events of facts', () => {
  it('are of known kinds, each at most once for a fact, at its place and time', () => {
    each((fact, changes) => {
      const kinds = changes.map(({ kind }) => kind);
      expect(new Set(kinds).size).toBe(kinds.length);
      for (const change of changes) {
        expect(EVENT_KINDS).toContain(change.kind);
        expect(change).toMatchObject({ seq: fact.seq, at: fact.at });
      }
    });
  });

  it('have one of their own for what subscribers are promised', () => {
    each((fact, changes) => {
      const own = changes.filter(({ kind }) => kind !== 'agent.status' && kind !== 'attention');
      const expected = OWN_KIND[fact.body.kind];
      expect(own.map(({ kind }) => kind)).toEqual(expected === undefined ? [] : [expected]);
    });
  });

  it('tell a status exactly when it changes, and the first one', () => {
    each((fact, changes, before, after) => {
      const from = deriveStatus(before, {}, NOW).status;
      const { status } = deriveStatus(after, {}, NOW);
      const told = changes.filter(({ kind }) => kind === 'agent.status').map(({ data }) => data['status']);
      expect(told).toEqual(from !== status || fact.body.kind === 'agent.created' ? [status] : []);
    });
  });

  it('say exactly when an agent begins to need a human and when it no longer does', () => {
    each((_, changes, before, after) => {
      const told = changes
        .filter(({ kind }) => kind === 'attention')
        .map(({ data }) => data['needs_attention']);
      const wants = after.attention !== null;
      expect(told).toEqual((before.attention !== null) === wants ? [] : [wants]);
    });
  });

  it('carry texts that are cut as in a list', () => {
    const long = 'x'.repeat(1000);
    const stamp = { seq: 1, at: '2027-01-01T00:00:00.000Z', awake_ms: 0, boot: 'boot-1' };
    const by = { principal: 'user:tester', door: 'cli' } as const;
    const view = deriveStatus(EMPTY_STATE, {}, NOW);
    const [accepted] = changesOf(
      {
        ...stamp,
        by,
        body: { kind: 'task.accepted', task_id: 't', message: long, source: 'ai', front: false },
      },
      view,
      view,
    );
    expect(String(accepted?.data['message'])).toHaveLength(LIST_TEXT_LIMIT);
    expect(accepted?.data).toMatchObject({ task_id: 't', source: 'ai' });
  });

  it.each<[FactBody, string, object]>([
    [
      { kind: 'agent.created', name: 'sony', project: 'Setup', role: 'coder', stuck_after_ms: 1 },
      'agent.created',
      { project: 'Setup', role: 'coder', by: 'user:tester' },
    ],
    [{ kind: 'agent.deleted' }, 'agent.deleted', { by: 'user:tester' }],
    [
      { kind: 'task.started', task_id: 't', message: 'work' },
      'task.started',
      { task_id: 't', message: 'work' },
    ],
    [
      { kind: 'task.ended', task_id: 't', state: 'failed', reason: 'why' },
      'task.ended',
      { task_id: 't', state: 'failed', reason: 'why' },
    ],
    [
      { kind: 'report', report_id: 'r', message: 'said', uri: 'u', state: 'working' },
      'report',
      { message: 'said', uri: 'u', state: 'working' },
    ],
    [
      {
        kind: 'approval.asked',
        approval_id: 'a',
        question: { kind: 'question', tool: 'Bash', input: {}, options: [] },
        expires_at: null,
      },
      'approval.asked',
      { approval_id: 'a', approval_kind: 'question', tool: 'Bash' },
    ],
    [
      {
        kind: 'approval.answered',
        approval_id: 'a',
        decision: 'allow',
        option: null,
        answer: null,
        note: null,
      },
      'approval.answered',
      { approval_id: 'a', decision: 'allow', by: 'user:tester' },
    ],
    [
      { kind: 'approval.closed', approval_id: 'a', reason: 'expired' },
      'approval.answered',
      { approval_id: 'a', decision: 'deny', reason: 'expired', by: 'user:tester' },
    ],
  ])('of %o are %s', (body, kind, data) => {
    const by = { principal: 'user:tester', door: 'cli' } as const;
    const view = deriveStatus(EMPTY_STATE, {}, NOW);
    const fact = { seq: 1, at: '2027-01-01T00:00:00.000Z', awake_ms: 0, boot: 'boot-1', by, body };
    expect(changesOf(fact, view, view)[0]).toEqual({ seq: 1, at: fact.at, kind, data });
  });

  it('tell of fields, at most twenty, and of a pull request', () => {
    const at = '2027-01-01T00:00:00.000Z';
    const stamp = { seq: 7, at, moment: at, kind: 'metadata' };
    const names = Array.from({ length: 21 }, (_, index) => `field-${index}`);
    const state = { ...EMPTY_STATE, seq: 7 };
    expect(fieldsChange(state, at, names)).toEqual({ ...stamp, data: { fields: names.slice(0, 20) } });
    const pull = { url: 'u', status: 'open', check_status: 'failing', error: null } as const;
    expect(pullRequestChange(state, at, pull)).toEqual({
      ...stamp,
      data: { pull_request: { status: 'open', check_status: 'failing' } },
    });
  });

  it('say of a value that was set its key and never the value', () => {
    const stamp = { seq: 1, at: '2027-01-01T00:00:00.000Z', awake_ms: 0, boot: 'boot-1' };
    const by = { principal: 'user:tester', door: 'cli' } as const;
    const view = deriveStatus(EMPTY_STATE, {}, NOW);
    const set = (value: string | null) =>
      changesOf({ ...stamp, by, body: { kind: 'metadata.set', key: 'fleet_mcp_a', value } }, view, view);
    expect(set('hidden').map(({ data }) => data)).toEqual([{ key: 'fleet_mcp_a', removed: false }]);
    expect(set(null).map(({ data }) => data)).toEqual([{ key: 'fleet_mcp_a', removed: true }]);
  });

  it('tell of an agent that time alone has made stuck', () => {
    const view = deriveStatus(EMPTY_STATE, {}, NOW);
    const told = { at: '2027-01-01T00:00:00.000Z', silent_since: '2026-12-31T00:00:00.000Z' };
    expect(stuckChange({ ...EMPTY_STATE, seq: 7 }, told, view)).toMatchObject({
      seq: 7,
      moment: told.silent_since,
      kind: 'attention',
      data: { needs_attention: true, stuck: true },
    });
  });
});

function each(
  check: (fact: Fact, changes: readonly Change[], before: AgentState, after: AgentState) => void,
): void {
  fc.assert(
    fc.property(factSequence, (facts) => {
      facts.forEach((fact, index) => {
        const before = foldAll(facts.slice(0, index));
        const after = fold(before, fact);
        const changes = changesOf(fact, deriveStatus(before, {}, NOW), deriveStatus(after, {}, NOW));
        check(fact, changes, before, after);
      });
    }),
  );
}
