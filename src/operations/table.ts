import { acknowledgeAgent } from './acknowledge-agent.ts';
import { cancelAgentTask } from './cancel-agent-task.ts';
import { createAgent } from './create-agent.ts';
import { deleteAgent } from './delete-agent.ts';
import { listAgentProjects } from './list-agent-projects.ts';
import { listAgentRoles } from './list-agent-roles.ts';
import { listApprovals } from './list-approvals.ts';
import { listAgents } from './list-agents.ts';
import type { Operation } from './operation.ts';
import { reportTask } from './report-task.ts';
import { respondApproval } from './respond-approval.ts';
import { restartAgent } from './restart-agent.ts';
import { setAgentMetadata } from './set-agent-metadata.ts';
import { showAgentLog } from './show-agent-log.ts';
import { showAgentTaskHistory } from './show-agent-task-history.ts';
import { showAgent } from './show-agent.ts';
import { startAgentTask } from './start-agent-task.ts';
import { stopAgent } from './stop-agent.ts';
import { waitForAgents } from './wait-for-agents.ts';

/** Every operation, in the order in which lists and references show them. */
export const OPERATIONS: readonly Operation[] = [
  listAgents,
  showAgent,
  listAgentProjects,
  listAgentRoles,
  createAgent,
  deleteAgent,
  restartAgent,
  stopAgent,
  startAgentTask,
  cancelAgentTask,
  showAgentTaskHistory,
  showAgentLog,
  waitForAgents,
  setAgentMetadata,
  acknowledgeAgent,
  reportTask,
  listApprovals,
  respondApproval,
];

const BY_NAME = new Map(OPERATIONS.map((operation) => [operation.name, operation]));

export function findOperation(name: string): Operation | undefined {
  return BY_NAME.get(name);
}
