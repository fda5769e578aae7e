import type { Break } from '../break.ts';

export const seed002MeasureBreaks: readonly Break[] = [
  {
    id: 'SC-001',
    file: 'bench/main.ts',
    find: `'create-to-ready': createToReady,`,
    replace: '',
  },
  {
    id: 'SC-002',
    file: 'bench/main.ts',
    find: `'status-visible': statusVisible,`,
    replace: '',
  },
  {
    id: 'SC-003',
    file: 'src/runner/journal-reader.ts',
    find: 'const total_count = last - first + 1;',
    replace: 'const total_count = Math.min(100, last - first + 1);',
  },
  {
    id: 'SC-004',
    file: 'src/fleet/lookup.ts',
    find: 'if (project !== undefined) return { backend, project };',
    replace: 'if (projects[0] !== undefined) return { backend, project: projects[0] };',
  },
  {
    id: 'SC-005',
    file: 'src/runner/runner.ts',
    find: 'this.#life.desk.setMetadata(key, value, by);',
    replace: 'setTimeout(() => this.#life.desk.setMetadata(key, value, by), 500);',
  },
  {
    id: 'SC-006',
    file: 'src/backends/local/remove-worktree.ts',
    find: 'if (!existsSync(plan.repository)) return',
    replace: 'if (existsSync(plan.repository)) return',
  },
  {
    id: 'SC-007',
    file: 'src/fleet/fleet.ts',
    find: 'agents.slice(start, start + size) : agents,',
    replace: 'agents.slice(start, start + size) : agents.slice(0, 9),',
  },
  {
    id: 'SC-008',
    file: 'bench/main.ts',
    find: `'history-100000': history100000,`,
    replace: '',
  },
  {
    id: 'SC-009',
    file: 'bench/main.ts',
    find: '\n  discovery,',
    replace: '',
  },
  {
    id: 'SC-010',
    file: 'src/runner/task-desk.ts',
    find: 'const target = task_id ?? running?.id;',
    replace: `const young = running !== null && Date.now() - running.started.at < 200;
    const target = task_id ?? (young ? undefined : running?.id);`,
  },
];
