import type { Operation } from '../operations/operation.ts';
import type { Answers } from './answers.ts';

/** Each operation by itself: making the schemas of all of them takes longer than most commands do. */
export const LOAD_OPERATION: { readonly [Name in keyof Answers]: () => Promise<Operation> } = {
  list_agents: async () => (await import('../operations/list-agents.ts')).listAgents,
  show_agent: async () => (await import('../operations/show-agent.ts')).showAgent,
  list_agent_projects: async () => (await import('../operations/list-agent-projects.ts')).listAgentProjects,
  list_agent_roles: async () => (await import('../operations/list-agent-roles.ts')).listAgentRoles,
  create_agent: async () => (await import('../operations/create-agent.ts')).createAgent,
  delete_agent: async () => (await import('../operations/delete-agent.ts')).deleteAgent,
  restart_agent: async () => (await import('../operations/restart-agent.ts')).restartAgent,
  stop_agent: async () => (await import('../operations/stop-agent.ts')).stopAgent,
  start_agent_task: async () => (await import('../operations/start-agent-task.ts')).startAgentTask,
  cancel_agent_task: async () => (await import('../operations/cancel-agent-task.ts')).cancelAgentTask,
  show_agent_task_history: async () =>
    (await import('../operations/show-agent-task-history.ts')).showAgentTaskHistory,
  show_agent_log: async () => (await import('../operations/show-agent-log.ts')).showAgentLog,
  wait_for_agents: async () => (await import('../operations/wait-for-agents.ts')).waitForAgents,
  set_agent_metadata: async () => (await import('../operations/set-agent-metadata.ts')).setAgentMetadata,
  acknowledge_agent: async () => (await import('../operations/acknowledge-agent.ts')).acknowledgeAgent,
  list_approvals: async () => (await import('../operations/list-approvals.ts')).listApprovals,
  respond_approval: async () => (await import('../operations/respond-approval.ts')).respondApproval,
  report_task: async () => (await import('../operations/report-task.ts')).reportTask,
};
