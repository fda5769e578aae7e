import type { z } from 'zod';
import { acknowledgeAgent } from './acknowledge-agent.ts';
import { cancelAgentTask } from './cancel-agent-task.ts';
import { updateAgent } from './update-agent.ts';
import { landAgent } from './land-agent.ts';
import { landAgents } from './land-agents.ts';
import { undoLand } from './undo-land.ts';
import { publishAgent } from './publish-agent.ts';
import { listConflicts } from './list-conflicts.ts';
import { startForecast } from './start-forecast.ts';
import { showDoctor } from './show-doctor.ts';
import { showForecast } from './show-forecast.ts';
import { listCheckpoints } from './list-checkpoints.ts';
import { forkAgent } from './fork-agent.ts';
import { listReviewComments } from './list-review-comments.ts';
import { addReviewComment } from './add-review-comment.ts';
import { removeReviewComment } from './remove-review-comment.ts';
import { sendReview } from './send-review.ts';
import { raceAgents } from './race-agents.ts';
import { compareAgents } from './compare-agents.ts';
import { checkAgent } from './check-agent.ts';
import { createAgent } from './create-agent.ts';
import { deleteAgent } from './delete-agent.ts';
import { listAgentProjects } from './list-agent-projects.ts';
import { listAgentRoles } from './list-agent-roles.ts';
import { listBrowserSessions } from './list-browser-sessions.ts';
import { endBrowserSession } from './end-browser-session.ts';
import { listTokens } from './list-tokens.ts';
import { revokeToken } from './revoke-token.ts';
import { listKept } from './list-kept.ts';
import { listApprovals } from './list-approvals.ts';
import { listAgents } from './list-agents.ts';
import { listToolAgents } from './list-tool-agents.ts';
import type { Operation } from './operation.ts';
import { reportTask } from './report-task.ts';
import { respondApproval } from './respond-approval.ts';
import { restoreAgent } from './restore-agent.ts';
import { restartAgent } from './restart-agent.ts';
import { setAgentMetadata } from './set-agent-metadata.ts';
import { showAgentChecks } from './show-agent-checks.ts';
import { showAgentConversation } from './show-agent-conversation.ts';
import { showAgentTimeline } from './show-agent-timeline.ts';
import { showAgentDiff } from './show-agent-diff.ts';
import { showAgentLog } from './show-agent-log.ts';
import { showAgentTaskHistory } from './show-agent-task-history.ts';
import { showAgent } from './show-agent.ts';
import { startAgentTask } from './start-agent-task.ts';
import { stopAgent } from './stop-agent.ts';
import { waitForAgents } from './wait-for-agents.ts';

/** Every operation, in the order in which lists and references show them. */
const TABLE = [
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
  showAgentConversation,
  showAgentTimeline,
  showAgentDiff,
  listReviewComments,
  addReviewComment,
  removeReviewComment,
  sendReview,
  raceAgents,
  compareAgents,
  updateAgent,
  landAgent,
  landAgents,
  undoLand,
  publishAgent,
  listConflicts,
  startForecast,
  showForecast,
  listCheckpoints,
  forkAgent,
  showAgentChecks,
  checkAgent,
  waitForAgents,
  setAgentMetadata,
  acknowledgeAgent,
  reportTask,
  listApprovals,
  respondApproval,
  listToolAgents,
  listKept,
  restoreAgent,
  showDoctor,
  listBrowserSessions,
  endBrowserSession,
  listTokens,
  revokeToken,
] as const satisfies readonly Operation[];

export const OPERATIONS: readonly Operation[] = TABLE;

type Defined = (typeof TABLE)[number];
export type OperationName = Defined['name'];
type Named<Name extends OperationName> = Extract<Defined, { readonly name: Name }>;

/** What an operation answers. */
export type Answer<Name extends OperationName> = z.output<Named<Name>['output']>;

/** What a caller can give an operation, which checks it: any text where it takes one of several; undefined is left out. */
export type Input<Name extends OperationName> = {
  readonly [Field in keyof Given<Name>]: Unchecked<Given<Name>[Field]> | undefined;
};
type Given<Name extends OperationName> = z.input<Named<Name>['input']>;
type Unchecked<Value> = Value extends string ? string : Value;

const BY_NAME = new Map(OPERATIONS.map((operation) => [operation.name, operation]));

export function findOperation(name: string): Operation | undefined {
  return BY_NAME.get(name);
}
