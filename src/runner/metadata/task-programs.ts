/** What go-task is called: some systems have another program by the name `task`, and call this one by its whole name. */
export const TASK_PROGRAMS = ['go-task', 'task'] as const;
