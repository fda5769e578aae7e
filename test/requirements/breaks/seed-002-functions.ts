import type { Break } from '../break.ts';

export const seed002FunctionBreaks: readonly Break[] = [
  {
    id: 'FR-001',
    file: 'src/backends/local/plan-worktree.ts',
    find: 'branch: `fleet/${request.agent_name}`',
    replace: 'branch: `agent/${request.agent_name}`',
  },
  {
    id: 'FR-002',
    file: 'src/backends/local/local-projects.ts',
    find: `default_role ?? 'coder'`,
    replace: `default_role ?? 'operator'`,
  },
  {
    id: 'FR-003',
    file: 'src/fleet/choose-name.ts',
    find: 'return free[below(free.length, random)] ?? numberedName(keys, random);',
    replace: 'return `agent-${below(1_000_000_000, random)}`;',
  },
  {
    id: 'FR-004',
    file: 'src/fleet/agent-view.ts',
    find: 'current_task: cutOrNull(derived.current_task, LIST_TEXT_LIMIT)',
    replace: 'current_task: null',
  },
  {
    id: 'FR-005',
    file: 'src/fleet/agent-view.ts',
    find: 'spec: agent.spec,',
    replace: 'spec: null,',
  },
  {
    id: 'FR-006',
    file: 'src/backends/local/remove-worktree.ts',
    find: 'if (branch !== undefined && place !== undefined) await removeBranch',
    replace: 'if (branch !== undefined && place === undefined) await removeBranch',
  },
  {
    id: 'FR-007',
    file: 'src/domain/state.ts',
    find: `{ phase: 'deleting', phase_reason: \`deleted by`,
    replace: `{ phase: 'stopping', phase_reason: \`deleted by`,
  },
  {
    id: 'FR-008',
    file: 'src/domain/status.ts',
    find: `status: 'busy',\n    status_reason: stuck`,
    replace: `status: 'idle',\n    status_reason: stuck`,
  },
  {
    id: 'FR-009',
    file: 'src/domain/state.ts',
    find: '...(state.running?.id === body.task_id ? { running: null, approvals: [], calls: [], parked: null } : {}),',
    replace: `...(state.running?.id === body.task_id && body.state !== 'failed' ? { running: null } : {}),`,
  },
  {
    id: 'FR-010',
    file: 'src/domain/status.ts',
    find: 'now.at - since < UNREACHABLE_LIMIT_MS',
    replace: 'now.at - since < 10 * UNREACHABLE_LIMIT_MS',
  },
  {
    id: 'FR-011',
    file: 'src/runner/command-driver.ts',
    find: 'stdin: message,',
    replace: 'stdin: message.slice(0, VARIABLE_LIMIT),',
  },
  {
    id: 'FR-012',
    file: 'src/runner/runner-server.ts',
    find: `source: 'agent',`,
    replace: `source: 'human',`,
  },
  {
    id: 'FR-013',
    file: 'src/runner/task-run.ts',
    find: `if (cancel) return { state: 'canceled'`,
    replace: `if (cancel) return { state: 'interrupted'`,
  },
  {
    id: 'FR-014',
    file: 'src/runner/journal.ts',
    find: `case 'metadata.set':`,
    replace: `case 'runner.lost':
        this.database.exec("DELETE FROM history WHERE state = 'queued'");
        break;
      case 'metadata.set':`,
  },
  {
    id: 'FR-015',
    file: 'src/domain/paging.ts',
    find: 'from - page_size + 1',
    replace: 'from - page_size',
  },
  {
    id: 'FR-016',
    file: 'src/runner/journal.ts',
    find: 'body.uri,',
    replace: 'null,',
  },
  {
    id: 'FR-017',
    file: 'src/runner/journal.ts',
    find: 'at,\n          needsHuman',
    replace: 'new Date(0).toISOString(),\n          needsHuman',
  },
  {
    id: 'FR-018',
    file: 'src/domain/spec.ts',
    find: `(key === 'checks' && isCheck(entry, reading))`,
    replace: 'false',
  },
  {
    id: 'FR-019',
    file: 'src/fleet/agent-view.ts',
    find: '{ agent_spec: agent.spec }',
    replace: '{ agent_spec: cut(agent.spec, LIST_TEXT_LIMIT) }',
  },
  {
    id: 'FR-020',
    file: 'src/backends/local/make-origin.ts',
    find: 'spec: request.spec,',
    replace: 'spec: request.spec.trim(),',
  },
  {
    id: 'FR-021',
    file: 'src/domain/metadata.ts',
    find: '/^[A-Za-z0-9_.-]+$/',
    replace: '/^[A-Za-z0-9_]+$/',
  },
  {
    id: 'FR-022',
    file: 'src/domain/metadata.ts',
    find: `['agent_name', 'role',`,
    replace: `['pull_request_url', 'agent_name', 'role',`,
  },
  {
    id: 'FR-023',
    file: 'src/domain/pull-request.ts',
    find: 'metadata[PULL_REQUEST_STATUS_KEY]',
    replace: 'undefined',
  },
  {
    id: 'FR-024',
    file: 'src/domain/pull-request.ts',
    find: 'metadata[PULL_REQUEST_CHECK_KEY]',
    replace: 'undefined',
  },
  {
    id: 'FR-025',
    file: 'src/backends/local/runner-main.ts',
    find: 'FLEET_SPEC: variableText(launch.spec),',
    replace: '',
  },
  {
    id: 'FR-026',
    file: 'src/backends/local/make-origin.ts',
    find: 'role: role.name,',
    replace: `role: 'coder',`,
  },
  {
    id: 'FR-028',
    file: 'src/config/built-in-roles.ts',
    find: 'role.description ?? base.description',
    replace: 'base.description',
  },
  {
    id: 'FR-029',
    file: 'src/backends/local/make-origin.ts',
    find: 'const project = projectOf(config, request.project.name);',
    replace: 'const project = Object.values(config.projects)[0] as ProjectConfig;',
  },
  {
    id: 'FR-030',
    file: 'src/backends/local/local-projects.ts',
    find: `description: project.description ?? ''`,
    replace: `description: ''`,
  },
  {
    id: 'FR-031',
    file: 'src/backends/local/make-origin.ts',
    find: 'repository: project.repository,',
    replace: 'repository: Object.values(config.projects)[0]?.repository ?? project.repository,',
  },
];
