import { describe, expect, it } from 'vitest';
import type { Fact, FactBody } from '../../domain/fact.ts';
import { describeFact } from '../../domain/timeline/describe-fact.ts';
import { explainStatus } from '../../domain/timeline/explain-status.ts';
import { explanationText } from './why.ts';

const START = Date.parse('2026-03-01T12:00:00.000Z');

/** Facts one second apart. */
function facts(...bodies: FactBody[]): Fact[] {
  return bodies.map((body, index) => ({
    seq: index + 1,
    at: new Date(START + index * 1000).toISOString(),
    awake_ms: index * 1000,
    boot: 'b',
    by: index === 0 ? { principal: 'user:ann', door: 'cli' } : { principal: 'fleet:fleet', door: 'fleet' },
    body,
  }));
}

const LIFE = facts(
  { kind: 'agent.created', name: 'sony', project: 'Setup', role: 'coder', stuck_after_ms: 900_000 },
  { kind: 'task.accepted', task_id: 't1', message: 'do\u001b[2J it', source: 'human', front: false },
  { kind: 'agent.admitted' },
  { kind: 'agent.ready' },
  { kind: 'task.started', task_id: 't1', message: 'do it' },
  { kind: 'task.ended', task_id: 't1', state: 'failed', reason: 'exit 3', exit_code: 3 },
);

const now = { at: START + 60_000, awake_ms: 60_000, boot: 'b' };
const KNOWN = { agent_name: 'sony', facts: LIFE, observed: {}, now };
const style = { shown: 30, now: now.at, style: {} };

describe('explaining a status', () => {
  it('gives the status of now with all facts', () => {
    const explanation = explainStatus(KNOWN, undefined);
    expect(explanation.status).toMatchObject({ status: 'idle', needs_attention: true });
    expect(explanation.facts).toHaveLength(6);
  });

  it('gives that of the past from the facts of then [CLI-why]', () => {
    const then = explainStatus(KNOWN, START + 4_500);
    expect(then.status).toMatchObject({ status: 'busy', current_task: 'do it', stuck: false });
    expect(then.facts.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
    expect(explainStatus(KNOWN, START).status.status).toBe('pending');
    const text = explanationText(then, { ...style, past: true });
    expect(text).toMatch(/^sony was busy at .*: task t1 is running since/);
    expect(
      explanationText(explainStatus(KNOWN, undefined), {
        ...style,
        past: false,
      }),
    ).toMatch(/^sony is idle: the last task ended: failed; needs attention: exit 3\n/);
  });

  it('claims nothing of a time before the agent was created', () => {
    expect(() => explainStatus(KNOWN, START - 1)).toThrow(
      'The agent "sony" did not exist at 2026-03-01T11:59:59.999Z: it was created at 2026-03-01T12:00:00.000Z.',
    );
  });

  it('shows who, through which interface and what, newest last, and how many were left out', () => {
    const text = explanationText(explainStatus(KNOWN, undefined), {
      ...style,
      past: false,
    });
    const lines = text.trimEnd().split('\n');
    expect(lines.at(-1)).toMatch(/^6 .*fleet:fleet +fleet +task t1 ended failed: exit 3$/);
    expect(text).toMatch(/1 .*user:ann +cli +created for project Setup with role coder/);
    expect(text).not.toContain('\u001b');
    const short = explanationText(explainStatus(KNOWN, undefined), {
      ...style,
      shown: 2,
      past: false,
    });
    expect(short).toContain('… 4 earlier facts; --all shows them');
  });

  it('has words for what nobody sees often', () => {
    expect(describeFact({ kind: 'runner.lost', generation: 2 })).toBe('runner 2 found dead');
    expect(describeFact({ kind: 'metadata.set', key: 'fleet_mcp_a', value: null })).toBe(
      'metadata fleet_mcp_a removed',
    );
  });
});
