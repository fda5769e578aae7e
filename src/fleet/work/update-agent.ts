import { actorOf } from '../../domain/principal.ts';
import { FleetError } from '../../domain/values/errors.ts';
import { listedPaths } from '../../domain/merge/landing.ts';
import type { Updated, UpdateStrategy } from '../../domain/merge/update.ts';
import type { FleetContext, Making } from '../context/fleet-context.ts';
import { startTask } from '../tasks/start-task.ts';

const HINT = / Set assign_to_agent.*$/;

export interface UpdateInput {
  readonly agent_name: string;
  readonly strategy: UpdateStrategy;
  readonly assign_to_agent: boolean;
}

/** Brings newer commits of the base into an agent's branch; a conflict can become its next task. */
export async function updateAgent(
  context: FleetContext,
  { agent_name, strategy, assign_to_agent }: UpdateInput,
  making: Making,
): Promise<Updated & { readonly name: string }> {
  const { backend, agent } = await context.lookup.host(agent_name);
  if (backend.update === undefined)
    throw new FleetError(
      'INVALID_INPUT',
      `The repository of agent "${agent.name}" is not on this machine. Ask the agent to merge its base.`,
      { field: 'agent_name', reason: 'not_local' },
    );
  const by = actorOf(making.caller);
  try {
    return { name: agent.name, ...(await backend.update(agent, strategy, by)) };
  } catch (thrown) {
    const conflict = thrown instanceof FleetError && thrown.details.reason === 'conflicts';
    if (!conflict || !assign_to_agent) throw thrown;
    const { message } = await backend.update(agent, 'base', by);
    const { task } = await startTask(
      context,
      { agent_name: agent.name, task_description: resolveTask(thrown, message), when_busy: 'queue' },
      making,
    );
    throw new FleetError(
      thrown.code,
      `${thrown.message.replace(HINT, '')} It is the next task of the agent.`,
      {
        ...thrown.details,
        task_id: task.id,
      },
    );
  }
}

function resolveTask({ details }: FleetError, base: string): string {
  const paths = Array.isArray(details['paths']) ? listedPaths(details['paths'].map(String)) : '';
  return `Newer commits of your base conflict with your work in ${paths}. ${base}. Merge it into your branch, resolve the conflicts, and commit.`;
}
