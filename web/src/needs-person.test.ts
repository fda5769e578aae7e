import { describe, expect, it } from 'vitest';
import type { AgentRow, ApprovalRow } from './api/live.ts';
import { conflictId, failingCiId, needsPerson } from './needs-person.ts';

const agent = (name: string, more: Partial<AgentRow> = {}): AgentRow =>
  ({
    name,
    workspace_id: `id-${name}`,
    updated_at: '2026-01-01T00:00:00.000Z',
    needs_attention: false,
    stuck: false,
    pull_request: null,
    ...more,
  }) as AgentRow;
const failing = { url: 'https://forge/1', status: 'open', check_status: 'failing', error: null } as const;
const conflict = { agent: 'ada', other: 'iris', paths: ['stats.js'] };
const ids = (...given: Parameters<typeof needsPerson>): readonly string[] =>
  needsPerson(...given).map(({ id }) => id);

describe('needsPerson', () => {
  it('lists questions, then agents, then conflicts, and an agent that asks only once', () => {
    const approvals = [{ id: 'q1', agent_name: 'sony' } as ApprovalRow];
    const agents = [
      agent('sony', { needs_attention: true }),
      agent('kay', { needs_attention: true }),
      agent('ada'),
    ];
    expect(ids({ agents, approvals }, [conflict], new Set())).toEqual(['q1', 'id-kay', conflictId(conflict)]);
  });

  it('leaves out a stuck agent that somebody has seen', () => {
    const agents = [agent('slow', { stuck: true }), agent('new', { stuck: true, needs_attention: true })];
    expect(ids({ agents, approvals: [] }, [], new Set())).toEqual(['id-new']);
  });

  it('leaves out conflicts and failing CI that were put away, and nothing else', () => {
    const one = agent('ada', { pull_request: failing });
    const both = [one, agent('kay', { pull_request: failing, needs_attention: true })];
    const away = new Set([failingCiId(one) ?? '', failingCiId(both[1]!) ?? '', conflictId(conflict)]);
    expect(ids({ agents: both, approvals: [] }, [conflict], new Set())).toHaveLength(3);
    expect(ids({ agents: both, approvals: [] }, [conflict], away)).toEqual(['id-kay']);
    expect(ids({ agents: [], approvals: [] }, [{ ...conflict, paths: ['other.js'] }], away)).toHaveLength(1);
  });
});
