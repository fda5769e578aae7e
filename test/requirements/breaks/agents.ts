import type { Break } from '../break.ts';

/** Processes of agents, their work and what is around them. */
export const agentBreaks: readonly Break[] = [
  {
    id: 'OP-interrupted-crash',
    file: 'src/runner/own-journal.ts',
    find: "state: canceled ? 'canceled' : 'interrupted',",
    replace: "state: canceled ? 'canceled' : 'failed',",
  },
  {
    id: 'OP-at-most-once',
    file: 'src/runner/task-run.ts',
    find: 'const outcome = await session\n',
    replace:
      'await session.run({ id, message, resumed }, abort.signal).catch(() => {});\n    const outcome = await session\n',
  },
  {
    id: 'OP-interrupted-stop',
    file: 'src/runner/task-run.ts',
    find: "state: 'interrupted',",
    replace: "state: 'canceled',",
  },
  {
    id: 'OP-stop-keeps-queue',
    file: 'src/runner/runner-life.ts',
    find: "return this.#say({ kind: 'agent.stopped' }, by);",
    replace: "this.desk.cancelQueue(by);\n        return this.#say({ kind: 'agent.stopped' }, by);",
  },
  {
    id: 'EDGE-02',
    file: 'src/backends/local/records/with-owned-journal.ts',
    find: 'return row.runner === null ? row.unpublished : !isAlive(row.runner);',
    replace: 'return false;',
  },
  {
    id: 'AGENT-status-derived',
    file: 'src/backends/local/agent-records.ts',
    find: 'reader.state().seq > 0',
    replace: 'reader.state().seq < 0',
  },
  {
    id: 'CMD-cancel-terminate',
    file: 'src/runner/programs/run-program.ts',
    find: "climb(['SIGINT', 'SIGTERM', 'SIGKILL'])",
    replace: "climb(['SIGINT', 'SIGKILL'])",
  },
  {
    id: 'CMD-tree-gone',
    file: 'src/runner/task-run.ts',
    find: 'await session\n      .run({ id, message, resumed }, abort.signal)',
    replace:
      "await Promise.race([session.run({ id, message, resumed }, abort.signal), new Promise<never>((_, reject) => abort.signal.addEventListener('abort', reject))])",
  },
  {
    id: 'CMD-exit',
    file: 'src/runner/programs/command-driver.ts',
    find: "state: exit.code === 0 ? 'complete' : 'failed',",
    replace: "state: exit.code === 1 ? 'failed' : 'complete',",
  },
  {
    id: 'CMD-task-self',
    file: 'src/runner/runner-handlers.ts',
    find: "when_busy: 'queue',\n        source: 'agent',",
    replace: "when_busy: 'interrupt',\n        source: 'agent',",
  },
  {
    id: 'OP-on-crash-resume',
    file: 'src/runner/acp/acp-agent.ts',
    find: "launch.on_crash !== 'resume'",
    replace: 'launch.on_crash !== undefined',
  },
  {
    id: 'EDGE-07',
    file: 'src/backends/local/repository/checkpoint.ts',
    find: "{ '1': 8, u: 10, '?': 1 }",
    replace: "{ '1': 8, u: 10, '?': 99 }",
  },
  {
    id: 'OP-delete_agent-cannot-keep',
    file: 'src/backends/local/kept/keep-work.ts',
    find: 'if (gone !== undefined) throw new Error(gone);',
    replace: '',
  },
  {
    id: 'OP-delete_agent-discard',
    file: 'src/backends/local/kept/delete-agent.ts',
    find: 'if (!options.discard_work && (wasMade',
    replace: 'if ((wasMade',
  },
  {
    id: 'OP-restore_agent',
    file: 'src/backends/local/kept/restore-agent.ts',
    find: '  context.rows.unbury(request.workspace_id);\n',
    replace: '',
  },
  {
    id: 'OP-create_agent-base',
    file: 'src/backends/local/workspace/plan-workspace.ts',
    find: 'const base_commit = based ??',
    replace: 'const base_commit =',
  },
  {
    id: 'OP-create_agent-same-name',
    file: 'src/backends/local/records/agent-rows.ts',
    find: '          nameKey(launch.name),',
    replace: '          launch.workspace_id,',
  },
  {
    id: 'ENV-allow-list',
    file: 'src/backends/local/workspace/environment.ts',
    find: '/^(PATH|HOME)$/,',
    replace: '/^(PATH|HOME|USER)$/,',
  },
  {
    id: 'NAME-long-socket-path',
    file: 'src/platform/socket-path.ts',
    find: 'const LIMIT = 100;',
    replace: 'const LIMIT = 1000;',
  },
  {
    id: 'NAME-writes-nowhere-else',
    file: 'src/backends/local/records/paths.ts',
    find: "join(directory, 'runner.log')",
    replace: "join(home, '..', 'runner.log')",
  },
  {
    id: 'AGENT-principal-recorded',
    file: 'src/runner/journal/journal.ts',
    find: 'by.principal, by.door, JSON',
    replace: "by.principal, 'fleet', JSON",
  },
  {
    id: 'CFG-trust',
    file: 'src/backends/local/local-projects.ts',
    find: 'requireTrust(loaded);\n    return withFreshEnvironment',
    replace: 'return withFreshEnvironment',
  },
  {
    id: 'CFG-trust-hash',
    file: 'src/config/trust.ts',
    find: '.update(`${realPath(path)}\\0${hash}`)',
    replace: '.update(realPath(path))',
  },
  {
    id: 'CFG-takes-hold',
    file: 'src/config/config-source.ts',
    find: 'if (this.#last === undefined || !isFresh(this.#last, location.path)) {',
    replace: 'if (this.#last === undefined) {',
  },
  {
    id: 'NUM-two-failures',
    file: 'src/backends/coder/client/coder-client.ts',
    find: 'const TRIES = 4;',
    replace: 'const TRIES = 1;',
  },
  {
    id: 'NUM-list-1000-coder',
    file: 'src/backends/coder/workspaces/list-workspaces.ts',
    find: 'const pages = Math.ceil(first.count / PAGE);',
    replace: 'const pages = 1;',
  },
  {
    id: 'OP-delete_agent-coder-kept',
    file: 'src/backends/coder/runner/coder-runner-main.ts',
    find: 'if (keeps) lastWord = await keepWork(place);',
    replace: '',
  },
  {
    id: 'OP-publish_agent-lease',
    file: 'src/backends/local/publish/prepare-push.ts',
    find: 'if (own.includes(seen)) return;',
    replace: 'return;',
  },
  {
    id: 'OP-publish_agent-token',
    file: 'src/backends/local/publish/remote-git.ts',
    find: "'push',\n",
    replace: "'-c',\n      `fleet.login=${this.#parts.login?.password}`,\n      'push',\n",
  },
];
