import type { Break } from './break.ts';

/** Every break that was written down, by row. */
export const breaks: readonly Break[] = [
  {
    id: 'T-start_agent_task-busy',
    file: 'src/runner/task-desk.ts',
    find: "if (request.when_busy === 'reject') checkFree(state);",
    replace: '',
  },
];
