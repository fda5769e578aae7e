import { shortIds } from '../../domain/values/short-id.ts';

/** Inputs of operations, as the command line takes them. */
const INPUTS: Readonly<Record<string, string>> = {
  agent_name: 'The name of the agent',
  agent_names: 'The names of the agents',
  allow_workflows: '--allow-workflows',
  answer: '--answer',
  base: '--base',
  body: '--body',
  branch: '--branch',
  cursor: '--cursor',
  id: 'The id',
  idempotency_key: '--key',
  key: 'The key',
  message: 'The message',
  name: '--name',
  names: 'The checks',
  note: '--note',
  option: '--option',
  page: '--page',
  page_size: '--page-size',
  project: 'The project',
  project_filter: '--project',
  pull_request_filter: '--pr',
  pull_request_url: '--pr-url',
  reviewers: '--reviewer',
  role: '--role',
  spec: '--spec',
  state: '--state',
  status_filter: '--status',
  task: 'The task',
  task_description: 'The task',
  checkpoint: '--checkpoint',
  count: '--count',
  head: '--head',
  into: '--into',
  labels: '--label',
  land_id: 'The id of the landing',
  line: 'The line',
  path: 'The path',
  paths: 'The list of paths',
  roles: '--roles',
  since: '--since',
  strategy: 'The strategy',
  uncommitted: 'The choice for uncommitted work',
  workspace_id: 'The workspace id',
  task_id: 'The id of the task',
  timeout_seconds: '--timeout',
  title: '--title',
  until: '--until',
  uri: '--uri',
  value: 'The value',
};

/** Operations, and other words of the API that stand in messages. */
const WORDS: Readonly<Record<string, string>> = {
  acknowledge_agent: 'fleet ack',
  end_browser_session: 'fleet open',
  list_browser_sessions: 'fleet open',
  list_tokens: 'fleet token list',
  revoke_token: 'fleet token revoke',
  show_agent_conversation: 'fleet log',
  show_agent_timeline: 'fleet why',
  show_doctor: 'fleet doctor',
  cancel_agent_task: 'fleet cancel',
  add_review_comment: 'fleet review',
  compare_agents: 'fleet compare',
  create_agent: 'fleet create',
  list_review_comments: 'fleet review',
  race_agents: 'fleet race',
  remove_review_comment: 'fleet review',
  check_agent: 'fleet check',
  show_agent_checks: 'fleet check',
  send_review: 'fleet review',
  fork_agent: 'fleet fork',
  land_agent: 'fleet land',
  land_agents: 'fleet land',
  list_checkpoints: 'fleet checkpoints',
  list_conflicts: 'fleet conflicts',
  publish_agent: 'fleet publish',
  show_forecast: 'fleet forecast',
  start_forecast: 'fleet forecast',
  undo_land: 'fleet land',
  update_agent: 'fleet update',
  delete_agent: 'fleet delete',
  discard_work: '--discard-work',
  list_agent_projects: 'fleet projects',
  list_agent_roles: 'fleet roles',
  list_agents: 'fleet list',
  list_approvals: 'fleet approvals',
  list_kept: 'fleet kept',
  list_tool_agents: 'fleet tools',
  report_task: 'fleet report',
  respond_approval: 'fleet approve',
  restart_agent: 'fleet restart',
  restore_agent: 'fleet kept restore',
  set_agent_metadata: 'fleet meta set',
  show_agent: 'fleet show',
  show_agent_diff: 'fleet diff',
  show_agent_log: 'fleet log',
  show_agent_task_history: 'fleet history',
  start_agent_task: 'fleet task',
  stop_agent: 'fleet stop',
  wait_for_agents: 'fleet wait',
};

const INVALID_INPUT = /^The input "(\w+)" of \w+ is not valid: /;

/** A message of the fleet in the words of the command line, with short ids. Quoted text stays as it is. */
export function forPeople(message: string): string {
  const named = message.replace(INVALID_INPUT, (whole, field: string) => {
    const label = INPUTS[field];
    return label === undefined ? whole : `${label} is not valid: `;
  });
  const parts = named
    .replaceAll('set when_busy to "queue" or "interrupt"', 'use --queue or --interrupt')
    .replaceAll('Set uncommitted to include or leave', 'Use --include-uncommitted or --leave-uncommitted')
    .replaceAll('then set allow_workflows', 'then add --allow-workflows')
    .split(/("[^"]*")/);
  return parts.map((part) => (part.startsWith('"') ? part : ownWords(shortIds(part)))).join('');
}

function ownWords(text: string): string {
  return text.replaceAll(/\b[a-z]+(?:_[a-z]+)+\b/g, (word) => WORDS[word] ?? word);
}
