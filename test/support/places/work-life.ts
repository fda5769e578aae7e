import type { Answer } from '../fleets/fleet-under-test.ts';

type Step = readonly [operation: string, input: Answer | ((before: Answer) => Answer)];

const commit = (file: string): string =>
  `echo ${file} > ${file}; git add .; git -c user.name=A -c user.email=a@localhost commit --quiet -m ${file}`;

/** The way of an agent's work into its project, whose remote is at a forge, by every operation of it. The agents are gone
 *  afterwards. */
export function workLife(agent_name: string): readonly Step[] {
  const path = `${agent_name}.txt`;
  const [fork, project] = [`${agent_name}-f`, 'Setup'];
  let raced: string[] = [];
  const deleted = (name: () => string | undefined): Step => [
    'delete_agent',
    () => ({ agent_name: name(), discard_work: true }),
  ];
  return [
    ['create_agent', { project, task: commit(path), name: agent_name, role: 'shell' }],
    ['wait_for_agents', { agent_names: agent_name }],
    ['list_conflicts', { project }],
    ['start_forecast', { project, skip_checks: true }],
    ['show_forecast', { project }],
    ['list_checkpoints', { agent_name }],
    ['add_review_comment', { agent_name, path, line: 1, text: 'true' }],
    ['list_review_comments', { agent_name }],
    ['remove_review_comment', ({ comments }) => ({ agent_name, id: (comments as Answer[])[0]?.['id'] })],
    ['update_agent', { agent_name }],
    ['publish_agent', { agent_name }],
    ['land_agent', { agent_name }],
    ['undo_land', ({ land_id }) => ({ land_id })],
    ['land_agents', { agent_names: agent_name }],
    ['fork_agent', { agent_name, task: 'true', name: fork }],
    ['wait_for_agents', { agent_names: fork }],
    deleted(() => fork),
    ['race_agents', { project, task: 'true', roles: 'shell', count: 2 }],
    [
      'compare_agents',
      ({ agents }) => {
        raced = (agents as Answer[]).map(({ name }) => String(name));
        return { agent_names: raced.join(',') };
      },
    ],
    deleted(() => raced[0]),
    deleted(() => raced[1]),
    ['send_review', { agent_name, message: 'Well done', when_busy: 'queue' }],
    deleted(() => agent_name),
  ];
}

/** Operations of it that only look. */
export const WORK_LOOKS = [
  'list_conflicts',
  'show_forecast',
  'list_checkpoints',
  'list_review_comments',
  'compare_agents',
];
/** Those that change something. */
export const WORK_CHANGES = [
  'start_forecast',
  'add_review_comment',
  'remove_review_comment',
  'send_review',
  'update_agent',
  'land_agent',
  'land_agents',
  'undo_land',
  'publish_agent',
  'fork_agent',
  'race_agents',
];
