import { checkMetadataKey, checkMetadataValue } from '../../domain/metadata/metadata.ts';
import { actorOf, type Caller } from '../../domain/principal.ts';
import type { ReportState } from '../../domain/task.ts';
import { FleetError } from '../../domain/values/errors.ts';
import type { FleetContext, Making } from '../context/fleet-context.ts';

export interface ReportInput {
  readonly agent_name?: string | undefined;
  readonly message: string;
  readonly uri?: string | undefined;
  readonly state?: ReportState | undefined;
}

export async function report({ lookup }: FleetContext, input: ReportInput, { caller, makeId }: Making) {
  const name = input.agent_name ?? caller.self?.agent_name;
  if (name === undefined) {
    throw new FleetError(
      'FORBIDDEN',
      'report_task is for an agent, about itself: call it from inside its task.',
    );
  }
  const { backend, agent } = await lookup.find(name);
  const { recorded_at } = await backend.runner(agent).report({
    report_id: makeId('report'),
    message: input.message,
    uri: input.uri ?? null,
    state: input.state ?? 'working',
    by: actorOf(caller),
  });
  return { agent_name: agent.name, recorded_at };
}

export async function setMetadata(
  { lookup }: FleetContext,
  input: { readonly agent_name: string; readonly key: string; readonly value: string | null },
  caller: Caller,
) {
  const key = checkMetadataKey(input.key);
  const value = input.value === null ? null : checkMetadataValue(input.value);
  const { backend, agent } = await lookup.find(input.agent_name);
  await backend.runner(agent).setMetadata({ key, value, by: actorOf(caller) });
  return { agent_name: agent.name, key, value };
}

export async function acknowledge({ lookup }: FleetContext, name: string, caller: Caller) {
  const { backend, agent } = await lookup.host(name);
  await backend.runner(agent).acknowledge({ by: actorOf(caller) });
  return { agent_name: agent.name, message: `Agent '${agent.name}' acknowledged` };
}
