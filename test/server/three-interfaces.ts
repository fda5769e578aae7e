import { FleetError, isErrorCode } from '../../src/domain/values/errors.ts';
import { runFleet, type ServedFleet } from '../support/fleets/fleet-process.ts';
import type { Answer, Ask } from '../support/fleets/fleet-under-test.ts';

/** Every operation with the route that the contract gives it. */
export const ROUTES: Readonly<Record<string, string>> = {
  list_agents: 'GET /agents',
  show_agent: 'GET /agents/{agent_name}',
  list_agent_projects: 'GET /projects',
  list_agent_roles: 'GET /projects/{project}/roles',
  create_agent: 'POST /agents',
  delete_agent: 'DELETE /agents/{agent_name}',
  restart_agent: 'POST /agents/{agent_name}/restart',
  stop_agent: 'POST /agents/{agent_name}/stop',
  start_agent_task: 'POST /agents/{agent_name}/tasks',
  cancel_agent_task: 'POST /agents/{agent_name}/cancel',
  show_agent_task_history: 'GET /agents/{agent_name}/tasks',
  show_agent_log: 'GET /agents/{agent_name}/log',
  show_agent_conversation: 'GET /agents/{agent_name}/conversation',
  show_agent_timeline: 'GET /agents/{agent_name}/timeline',
  show_doctor: 'GET /doctor',
  show_agent_diff: 'GET /agents/{agent_name}/diff',
  show_agent_checks: 'GET /agents/{agent_name}/checks',
  check_agent: 'POST /agents/{agent_name}/checks',
  list_checkpoints: 'GET /agents/{agent_name}/checkpoints',
  fork_agent: 'POST /agents/{agent_name}/fork',
  list_review_comments: 'GET /agents/{agent_name}/review-comments',
  add_review_comment: 'POST /agents/{agent_name}/review-comments',
  remove_review_comment: 'DELETE /agents/{agent_name}/review-comments/{id}',
  send_review: 'POST /agents/{agent_name}/review',
  land_agent: 'POST /agents/{agent_name}/land',
  update_agent: 'POST /agents/{agent_name}/update',
  land_agents: 'POST /land',
  undo_land: 'POST /land/{land_id}/undo',
  publish_agent: 'POST /agents/{agent_name}/publish',
  list_conflicts: 'GET /conflicts',
  start_forecast: 'POST /forecast',
  show_forecast: 'GET /forecast',
  race_agents: 'POST /race',
  compare_agents: 'GET /compare',
  wait_for_agents: 'GET /wait',
  set_agent_metadata: 'PUT /agents/{agent_name}/metadata/{key}',
  acknowledge_agent: 'POST /agents/{agent_name}/ack',
  list_approvals: 'GET /approvals',
  list_tool_agents: 'GET /tool-agents',
  respond_approval: 'POST /approvals/{id}',
  list_kept: 'GET /kept',
  restore_agent: 'POST /kept/{workspace_id}/restore',
  list_browser_sessions: 'GET /browser-sessions',
  end_browser_session: 'DELETE /browser-sessions/{id}',
  list_tokens: 'GET /tokens',
  revoke_token: 'DELETE /tokens/{name}',
  report_task: 'POST /agents/{agent_name}/reports',
};

/** Asks at the route of an operation: what the path does not hold is the query, or the body. */
export function askByHttp(served: ServedFleet): Ask {
  return async (operation, input = {}) => {
    const [method = '', pattern = ''] = ROUTES[operation]?.split(' ') ?? [];
    const rest: Answer = { ...input };
    const path = pattern.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      const { [name]: value } = rest;
      delete rest[name];
      return encodeURIComponent(String(value));
    });
    const inQuery = method === 'GET' || method === 'DELETE';
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(rest)) query.set(name, String(value));
    const { body } = await served.request(
      method,
      `/api/v1${path}${inQuery && query.size > 0 ? `?${query.toString()}` : ''}`,
      inQuery ? undefined : rest,
    );
    return answerIn(body);
  };
}

/** Asks by `fleet call`, a process for each. */
export function askByCall(env: NodeJS.ProcessEnv): Ask {
  return async (operation, input = {}) => {
    const { stdout } = await runFleet(['call', operation, JSON.stringify(input)], { env });
    return answerIn(JSON.parse(stdout) as Answer);
  };
}

function answerIn(body: Answer): Answer {
  const { error } = body as { error?: { code: string; message: string; details: object } };
  if (error === undefined) return body;
  if (!isErrorCode(error.code)) throw new Error(`unknown code ${error.code}`);
  throw new FleetError(error.code, error.message, { ...error.details });
}
