import type { Break } from '../break.ts';

export const onCoderBreaks: readonly Break[] = [
  {
    id: 'ROLE-preset',
    file: 'src/backends/coder/create-workspace.ts',
    find: 'template_version_preset_id: request.role.id,',
    replace: '',
  },
  {
    id: 'PROJECT-template-id',
    file: 'src/backends/coder/coder-projects.ts',
    find: 'template_id: template.id,',
    replace: 'template_id: template.name,',
  },
  {
    id: 'T-list_agents-unavailable',
    file: 'src/fleet/lookup.ts',
    find: 'if (first !== undefined && failures.length === backends.length) throw first.error;',
    replace: '',
  },
  {
    id: 'T-list_agent_projects-display-name',
    file: 'src/backends/coder/coder-projects.ts',
    find: "if (display_name === '') return 'it has no display name';",
    replace: '',
  },
  {
    id: 'T-list_agent_projects-usable',
    file: 'src/backends/coder/coder-projects.ts',
    find: 'return drivingProblem(await this.#context.versions.of(active_version_id));',
    replace: 'return undefined;',
  },
  {
    id: 'T-build-failed',
    file: 'src/backends/coder/builds.ts',
    find: "{ reason: 'build_failed', build_id: build.id },",
    replace: '{},',
  },
  {
    id: 'AGENT-spec-adopted',
    file: 'src/backends/coder/coder-origin.ts',
    find: 'spec: parameters[PARAMETERS.spec] || null,',
    replace: "spec: parameters[PARAMETERS.spec] ?? '',",
  },
  {
    id: 'AGENT-fleet-metadata-coder',
    file: 'src/backends/coder/coder-reads.ts',
    find: 'metadata: { ...this.#published(agent, row), ...heard?.metadata },',
    replace: 'metadata: { ...heard?.metadata },',
  },
  {
    id: 'AGENT-list-coder-copy',
    file: 'src/backends/coder/coder-backend.ts',
    find: 'const records = await this.#records.of(workspaces, known);',
    replace:
      'const records = await this.#records.of(workspaces, known); for (const record of records) await this.#reads.refresh(record);',
  },
  {
    id: 'ST-coder-build',
    file: 'src/backends/coder/workspace-state.ts',
    find: "return { phase: 'canceling', reason: 'its build is being canceled' };",
    replace: "return { phase: 'starting', reason: 'its build is being canceled' };",
  },
  {
    id: 'ST-coder-starting',
    file: 'src/backends/coder/workspace-state.ts',
    find: "return { phase: 'ready', reason: '', unreachable_since: since };",
    replace: "return { phase: 'ready', reason: '' };",
  },
  {
    id: 'OP-list_agents-several-backends',
    file: 'src/fleet/lookup.ts',
    find: 'unavailable: failures.map(({ backend, error }) => ({ backend, message: error.message })),',
    replace: 'unavailable: [],',
  },
  {
    id: 'OP-delete_agent-coder-kept',
    file: 'src/backends/coder/runner/coder-runner-main.ts',
    find: 'if (keeps) lastWord = await keepWork(place);',
    replace: '',
  },
  {
    id: 'CFG-backends',
    file: 'src/backends/coder/coder-servers.ts',
    find: 'url: named?.url ?? needed(env, OWN_URL, name),',
    replace: 'url: needed(env, OWN_URL, name),',
  },
  {
    id: 'CLI-coder-setup',
    file: 'src/backends/coder/check-server.ts',
    find: 'if (missing.length > 0)',
    replace: 'if (missing.length > 99)',
  },
  {
    id: 'CLI-adopt',
    file: 'src/backends/coder/adopt-workspace.ts',
    find: '[PARAMETERS.managed]: MANAGED,',
    replace: '',
  },
  {
    id: 'CODER-names',
    file: 'src/backends/coder/create-workspace.ts',
    find: 'name: request.name,',
    replace: 'name: `${request.name}-x`,',
  },
  {
    id: 'NUM-list-1000-coder',
    file: 'src/backends/coder/list-workspaces.ts',
    find: 'const pages = Math.ceil(first.count / PAGE);',
    replace: 'const pages = 1;',
  },
  {
    id: 'NUM-two-failures',
    file: 'src/backends/coder/client/coder-client.ts',
    find: 'const TRIES = 4;',
    replace: 'const TRIES = 1;',
  },
  {
    id: 'NUM-visible-coder',
    file: 'src/backends/coder/workspace-state.ts',
    find: 'note === undefined || note.seq <= before.seq ? heard',
    replace: 'note === undefined || note.seq > 0 ? heard',
  },
  {
    id: 'OP-delete_agent-goes-on',
    file: 'src/backends/coder/delete-workspace.ts',
    find: 'const ANSWER_AFTER_MS = 60_000;',
    replace: 'const ANSWER_AFTER_MS = 6_000_000;',
  },
  {
    id: 'T-cancel_agent_task-agentapi',
    file: 'src/backends/coder/agentapi/agentapi.ts',
    find: "const ESCAPE = '\\u001b';",
    replace: "const ESCAPE = '\\u0003';",
  },
  {
    id: 'NUM-create-coder',
    file: 'src/backends/coder/workspace-state.ts',
    find: 'Date.parse(status.created_at) >= Date.parse(build.created_at) ? status : undefined',
    replace: 'Date.parse(status.created_at) < Date.parse(build.created_at) ? status : undefined',
  },
  {
    id: 'NUM-delete-coder',
    file: 'src/backends/coder/builds.ts',
    find: 'if (workspace === undefined || holds(workspace) || pace.now() > until) return workspace;',
    replace: 'if ((workspace !== undefined && holds(workspace)) || pace.now() > until) return workspace;',
  },
];
