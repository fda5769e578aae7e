import { actorOf } from '../../domain/principal.ts';
import { deriveStatus } from '../../domain/status.ts';
import type { WhenBusy } from '../../domain/task.ts';
import { FleetError } from '../../domain/values/errors.ts';
import type { FleetContext, Making } from '../context/fleet-context.ts';
import { briefTask } from './brief-task.ts';

export interface TaskInput {
  readonly agent_name: string;
  readonly task_description: string;
  readonly when_busy?: WhenBusy | undefined;
}

export async function startTask(
  { lookup, clock }: FleetContext,
  input: TaskInput,
  { caller, makeId }: Making,
) {
  const forItself = caller.self !== undefined;
  if (forItself && input.when_busy !== undefined && input.when_busy !== 'queue') {
    throw new FleetError(
      'FORBIDDEN',
      'An agent can only queue a task for itself: leave out when_busy, or set it to "queue".',
      { field: 'when_busy' },
    );
  }
  const { backend, agent } = await lookup.reach(input.agent_name);
  const { task, state } = await backend.runner(agent).accept({
    task_id: makeId('task'),
    message: input.task_description,
    when_busy: forItself ? 'queue' : (input.when_busy ?? 'reject'),
    source: caller.source,
    by: actorOf(caller),
  });
  return {
    agent_name: agent.name,
    task: briefTask(task),
    agent_status: deriveStatus(state, {}, clock.now()).status,
    message:
      state.queue.includes(task.id) && state.queue.length + (state.running === null ? 0 : 1) > 1
        ? `Task queued for agent '${agent.name}'`
        : `Task assigned to agent '${agent.name}'`,
  };
}
