import { expect, it } from 'vitest';
import type { AgentView } from '../../domain/agent.ts';
import { plain } from '../output/output.ts';
import { agentText } from './show.ts';

const NOW = Date.parse('2026-03-01T12:00:00.000Z');

it('says from when the git facts of an agent are', () => {
  const git = {
    branch: 'fleet/sony',
    base: 'main',
    ahead: 1,
    behind: 0,
    changed_files: 2,
    insertions: 3,
    deletions: 4,
    dirty: true,
    last_commit: 'abc1234 first',
  };
  expect(textOf({ ...git, as_of: '2026-03-01T11:57:00.000Z' })).toMatch(
    /abc1234 first\n +as of \d\d:\d\d:\d\d \(3m ago\)\n/,
  );
  expect(textOf({ ...git, as_of: null })).not.toContain('as of');
});

function textOf(git: AgentView['git']): string {
  const agent: AgentView = {
    name: 'sony',
    workspace_id: '3f2a9c1e-0000-4000-8000-000000000000',
    status: 'idle',
    status_reason: 'ready, no task',
    role: 'coder',
    project: 'Setup',
    current_task: null,
    last_task: null,
    last_task_state: null,
    last_result: null,
    needs_attention: false,
    attention_reason: null,
    stuck: false,
    busy_since: null,
    pull_request: null,
    created_at: '2026-03-01T11:00:00.000Z',
    updated_at: '2026-03-01T11:00:00.000Z',
    metadata_count: 0,
    metadata_collected_at: null,
    metadata: {},
    fleet_metadata: {},
    refused_writes: [],
    spec: null,
    git,
    checks: null,
    queue_length: 0,
    cost: null,
    tokens: null,
    created_by: 'user:me',
  };
  return agentText({ agent, pending: [], home: '/home' }, NOW, { columns: 80, paint: plain });
}
