import type { CreateRequest } from '../../backends/backend.ts';
import type { AgentView } from '../../domain/agent.ts';
import { checkAgentName } from '../../domain/values/agent-name.ts';
import { FleetError } from '../../domain/values/errors.ts';
import type { FleetContext, Making } from '../context/fleet-context.ts';
import { roleOf } from '../context/lookup.ts';
import { showView } from '../reading/agent-view.ts';
import { chooseName } from '../../domain/values/choose-name.ts';

export interface CreateInput {
  readonly project: string;
  readonly task?: string | undefined;
  readonly name?: string | undefined;
  readonly role?: string | undefined;
  readonly spec?: string | undefined;
  readonly base?: string | undefined;
  readonly branch?: string | undefined;
  readonly pull_request_url?: string | undefined;
  readonly checkpoint?: CreateRequest['checkpoint'] | undefined;
}

const NAME_TRIES = 20;

export async function createAgent(
  { lookup, clock }: FleetContext,
  input: CreateInput,
  { caller, makeId }: Making,
): Promise<AgentView> {
  if (input.name !== undefined) checkAgentName(input.name);
  if (input.spec !== undefined) (await import('../../domain/spec.ts')).checkSpec(input.spec);
  const task = input.task ?? input.spec;
  if (task === undefined) {
    throw new FleetError('INVALID_INPUT', 'Give the agent a task, a spec, or both.', { field: 'task' });
  }
  const { backend, project } = await lookup.project(input.project);
  const role = roleOf(await backend.roles(project), project, input.role);
  const request = {
    workspace_id: makeId('workspace'),
    task_id: makeId('task'),
    project,
    role,
    task,
    spec: input.spec ?? null,
    ...(input.base === undefined ? {} : { base: input.base }),
    ...(input.branch === undefined ? {} : { branch: input.branch }),
    ...(input.pull_request_url === undefined ? {} : { pull_request_url: input.pull_request_url }),
    ...(input.checkpoint === undefined ? {} : { checkpoint: input.checkpoint }),
    caller,
  };
  for (let attempt = 1; ; attempt++) {
    const name =
      input.name ?? chooseName(new Set((await lookup.records()).records.map((agent) => agent.name)));
    try {
      if (input.name !== undefined) await lookup.checkFree(name, backend);
      return showView(await backend.create({ ...request, name }), clock.now());
    } catch (thrown) {
      const lostRace = thrown instanceof FleetError && thrown.details.reason === 'name_taken';
      if (!lostRace || input.name !== undefined || attempt === NAME_TRIES) throw thrown;
    }
  }
}
