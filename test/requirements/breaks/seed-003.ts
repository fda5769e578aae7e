import type { Break } from '../break.ts';

export const seed003Breaks: readonly Break[] = [
  {
    id: 'MD-always-present',
    file: 'src/fleet/agent-view.ts',
    find: 'metadata_count: agent.listed.count,',
    replace: '',
  },
  {
    id: 'MD-none-show',
    file: 'src/fleet/agent-view.ts',
    find: 'metadata: agent.fields,',
    replace: `metadata: { Taskfile: { value: null, error: 'there is none' } },`,
  },
  {
    id: 'MD-none-list',
    file: 'src/fleet/agent-view.ts',
    find: '      metadata: agent.listed.values,',
    replace: '      metadata: { Taskfile: null },',
  },
  {
    id: 'MD-compatible',
    file: 'src/fleet/agent-view.ts',
    find: 'created_at: agent.created_at,',
    replace: '',
  },
];
