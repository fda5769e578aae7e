import type { Break } from '../break.ts';

export const operationBreaks2: readonly Break[] = [
  {
    id: 'OP-wait-timeout',
    file: 'src/fleet/wait-for-agents.ts',
    find: 'return { agents: [...agents], timed_out: true, cursor };',
    replace: 'return { agents: [], timed_out: true, cursor };',
  },
  {
    id: 'OP-wait-timeout-limits',
    file: 'src/fleet/wait-for-agents.ts',
    find: '(request.timeout_seconds ?? 60)',
    replace: '(request.timeout_seconds ?? 30)',
  },
  {
    id: 'OP-wait-stuck',
    file: 'src/domain/status.ts',
    find: 'needs_attention: (stuck && !isAcknowledged(state, observed, now)) || wantsHuman(state),',
    replace: 'needs_attention: state.attention !== null,',
  },
  {
    id: 'OP-set_agent_metadata',
    file: 'src/runner/journal.ts',
    find: 'if (body.value === null) this.statement',
    replace: 'if (body.value === undefined) this.statement',
  },
  {
    id: 'OP-set_agent_metadata-key',
    file: 'src/domain/metadata.ts',
    find: 'if (CORE_KEYS.has(key)) {',
    replace: "if (CORE_KEYS.has(key) && key === '') {",
  },
  {
    id: 'OP-set_agent_metadata-limits',
    file: 'src/domain/metadata.ts',
    find: 'if (bytes > METADATA_VALUE_LIMIT) {',
    replace: 'if (value.length > METADATA_VALUE_LIMIT) {',
  },
  {
    id: 'OP-acknowledge_agent',
    file: 'src/domain/state.ts',
    find: '        attention: null,\n        approvals: allSeen(state),\n        running: state.running === null',
    replace: '        approvals: allSeen(state),\n        running: state.running === null',
  },
  {
    id: 'OP-report_task',
    file: 'src/fleet/fleet.ts',
    find: 'return { agent_name: agent.name, recorded_at };',
    replace: 'return { agent_name: agent.name, recorded_at: agent.created_at };',
  },
  {
    id: 'OP-report_task-state',
    file: 'src/runner/journal.ts',
    find: "const state = failed ? 'failed' : 'complete';",
    replace: "const state = 'complete';",
  },
  {
    id: 'OP-idempotent-same',
    file: 'src/operations/invoke.ts',
    find: 'if (known !== undefined) return known;',
    replace: '',
  },
  {
    id: 'OP-idempotent-other',
    file: 'src/store/call-ledger.ts',
    find: "if (row['input_hash'] !== hashOf(input)) {",
    replace: "if (row['input_hash'] === '') {",
  },
  {
    id: 'OP-task-states',
    file: 'src/runner/journal.ts',
    find: "SET state = 'running'",
    replace: "SET state = 'started'",
  },
  {
    id: 'OP-interrupted-crash',
    file: 'src/runner/own-journal.ts',
    find: "state: canceled ? 'canceled' : 'interrupted',",
    replace: "state: canceled ? 'canceled' : 'failed',",
  },
  {
    id: 'OP-interrupted-stop',
    file: 'src/runner/task-run.ts',
    find: "state: 'interrupted',",
    replace: "state: 'canceled',",
  },
  {
    id: 'OP-cancel-queue-goes-on',
    file: 'src/runner/runner.ts',
    find: 'const { task, interrupt } = this.#life.desk.cancel(request);',
    replace:
      'const { task, interrupt } = this.#life.desk.cancel(request);\n    if (interrupt) this.#life.desk.cancelQueue(request.by);',
  },
  {
    id: 'OP-stop-keeps-queue',
    file: 'src/runner/runner-life.ts',
    find: "return this.#say({ kind: 'agent.stopped' }, by);",
    replace: "this.desk.cancelQueue(by);\n        return this.#say({ kind: 'agent.stopped' }, by);",
  },
  {
    id: 'OP-delete-cancels-queue',
    file: 'src/runner/task-desk.ts',
    find: 'for (const task_id of this.#journal.state().queue) {',
    replace: 'for (const task_id of this.#journal.state().queue.slice(1)) {',
  },
  {
    id: 'OP-at-most-once',
    file: 'src/runner/task-run.ts',
    find: 'const outcome = await session.run(',
    replace:
      'await session.run({ id, message, resumed }, abort.signal).catch(() => {});\n    const outcome = await session.run(',
  },
  {
    id: 'OP-end-once',
    file: 'src/runner/task-run.ts',
    find: '    // The fleet hears of the end when',
    replace:
      "    journal.append(end.by, { kind: 'task.ended', task_id: id, state: end.state, reason: end.reason });\n    // The fleet hears of the end when",
  },
  {
    id: 'OP-spec-text',
    file: 'src/fleet/fleet.ts',
    find: 'spec: input.spec ?? input.task,',
    replace: 'spec: (input.spec ?? input.task).trim(),',
  },
  {
    id: 'OP-delete_agent-kept',
    file: 'src/fleet/fleet.ts',
    find: 'kept: kept[0] ?? null,',
    replace: 'kept: null,',
  },
  {
    id: 'OP-wait-any-change',
    file: 'src/fleet/wait-for-agents.ts',
    find: 'const start = request.cursor ?? parts.cursor();',
    replace: 'const start = parts.cursor();',
  },
];
