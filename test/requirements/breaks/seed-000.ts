import type { Break } from '../break.ts';

export const seed000Breaks: readonly Break[] = [
  {
    id: 'AGENT-name-format',
    file: 'src/domain/agent-name.ts',
    find: '(-[a-zA-Z0-9]+)*$/',
    replace: '(-+[a-zA-Z0-9]+)*$/',
  },
  {
    id: 'AGENT-workspace-id',
    file: 'src/fleet/fleet.ts',
    find: `makeId('workspace')`,
    replace: `makeId('workspace').replaceAll('-', '')`,
  },
  {
    id: 'AGENT-status-derived',
    file: 'src/backends/local/agent-records.ts',
    find: 'reader.state().seq > 0',
    replace: 'reader.state().seq < 0',
  },
  {
    id: 'AGENT-current-task',
    file: 'src/fleet/agent-view.ts',
    find: '...(derived.current_task === null ? {} : { current_task: derived.current_task })',
    replace: `current_task: derived.current_task ?? ''`,
  },
  {
    id: 'AGENT-times',
    file: 'src/runner/journal-rows.ts',
    find: `timestamp: String(row['at'])`,
    replace: `timestamp: String(row['at']).replace('Z', '+00:00')`,
  },
  {
    id: 'AGENT-transition-create',
    file: 'src/domain/state.ts',
    find: `{ phase: 'starting', phase_reason: 'making the workspace' }`,
    replace: `{ phase_reason: 'making the workspace' }`,
  },
  {
    id: 'AGENT-transition-stop',
    file: 'src/domain/state.ts',
    find: `{ phase: 'stopping', phase_reason: \`asked`,
    replace: `{ phase: 'stopped', phase_reason: \`asked`,
  },
  {
    id: 'AGENT-transition-delete',
    file: 'src/domain/state.ts',
    find: `{ phase: 'deleted', phase_reason: 'gone'`,
    replace: `{ phase_reason: 'gone'`,
  },
  {
    id: 'AGENT-transition-cancel',
    file: 'src/fleet/fleet.ts',
    find: '(filter.status_filter === undefined ||',
    replace: `agent.status !== 'canceled' &&\n          (filter.status_filter === undefined ||`,
  },
  {
    id: 'AGENT-role-immutable',
    file: 'src/backends/local/make-origin.ts',
    find: '      ...origin.launch,\n',
    replace:
      '      ...origin.launch,\n      command: roleOf(config, role)?.command ?? origin.launch.command,\n',
  },
  {
    id: 'TASK-attention-boolean',
    file: 'src/runner/journal.ts',
    find: 'needsHuman(fact) ? 1 : 0',
    replace: '0',
  },
  {
    id: 'TASK-uri',
    file: 'src/operations/report-task.ts',
    find: '.url({ protocol: /^https?$/ })',
    replace: '.url()',
  },
  {
    id: 'TASK-report-message',
    file: 'src/operations/report-task.ts',
    find: 'message: taskText.describe',
    replace: 'message: z.string().describe',
  },
  {
    id: 'TASK-one-agent',
    file: 'src/backends/local/local-backend.ts',
    find: 'return this.#records.read(agent, (reader) => {\n      if (reader !== undefined)',
    replace:
      'return this.#records.read(this.#context.rows.all()[0] ?? agent, (reader) => {\n      if (reader !== undefined)',
  },
  {
    id: 'ROLE-display-name',
    file: 'src/config/built-in-roles.ts',
    find: 'base.display_name ?? name',
    replace: `base.display_name ?? ''`,
  },
  {
    id: 'PROJECT-id-stable',
    file: 'src/backends/local/project-ids.ts',
    find: 'JSON.stringify(parts)',
    replace: 'JSON.stringify([...parts, process.pid])',
  },
  {
    id: 'PROJECT-role-shared',
    file: 'src/backends/local/paths.ts',
    find: `join(home, 'worktrees', workspaceId)`,
    replace: `join(home, 'worktrees', 'shared')`,
  },
  {
    id: 'META-core-keys',
    file: 'src/fleet/agent-view.ts',
    find: 'agent_name: agent.name,',
    replace: 'name: agent.name,',
  },
  {
    id: 'META-optional-unset',
    file: 'src/backends/local/make-origin.ts',
    find: 'request.pull_request_url ?? null',
    replace: `request.pull_request_url ?? ''`,
  },
  {
    id: 'META-only-prefixed',
    file: 'src/domain/metadata.ts',
    find: '!key.startsWith(METADATA_PREFIX) ||',
    replace: '',
  },
  {
    id: 'STORE-any-process',
    file: 'src/runner/runner.ts',
    find: 'this.#life.herald.publish();\n    await this.#life.until(',
    replace: 'await this.#life.until(',
  },
  {
    id: 'STORE-query-back',
    file: 'src/fleet/fleet.ts',
    find: 'const after = await backend.stop(agent, actorOf(caller));',
    replace: 'await backend.stop(agent, actorOf(caller));\n    const after = agent;',
  },
];
