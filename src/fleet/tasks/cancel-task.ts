import { actorOf, type Caller } from '../../domain/principal.ts';
import { deriveStatus } from '../../domain/status.ts';
import type { FleetContext } from '../context/fleet-context.ts';
import { asBackend } from '../context/lookup.ts';
import { briefTask } from './brief-task.ts';

export async function cancelTask(
  { lookup, clock }: FleetContext,
  input: { readonly agent_name: string; readonly task_id?: string | undefined },
  caller: Caller,
) {
  const { backend, agent } = await lookup.reach(input.agent_name);
  const { task, interrupt_sent, state } = await asBackend(backend)
    .runner(agent)
    .cancel({
      ...(input.task_id === undefined ? {} : { task_id: input.task_id }),
      by: actorOf(caller),
    });
  return {
    agent_name: agent.name,
    message: interrupt_sent
      ? `Interrupt signal sent to agent '${agent.name}'`
      : `Queued task ${task.id} of agent '${agent.name}' canceled`,
    interrupt_sent,
    task: briefTask(task),
    agent_status: deriveStatus(state, {}, clock.now()).status,
  };
}
