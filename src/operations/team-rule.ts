import { FleetError, quote } from '../domain/values/errors.ts';
import type { Caller } from '../domain/principal.ts';
import { ancestorsOf, membersOf, type Team } from '../domain/team.ts';
import type { Fleet } from '../fleet/fleet.ts';
import type { Operation } from './operation.ts';

/** An agent that runs a team may look at all, and change its team alone: not itself, not others, and not without end. */
export async function checkTeam(
  { name, hints, not_for_agents = false }: Operation,
  input: Readonly<Record<string, unknown>>,
  { fleet, caller }: { readonly fleet: Fleet; readonly caller: Caller },
): Promise<void> {
  if (caller.team === undefined || hints.readOnly) return;
  if (not_for_agents)
    throw new FleetError(
      'FORBIDDEN',
      `${name} is not for agents: it changes the branches of the project, which are for its users to change.`,
      { reason: 'not_for_agents' },
    );
  const { agents } = await fleet.listAgents({});
  if (name === 'create_agent' || name === 'fork_agent') checkRoom(agents, caller.team);
  if (name === 'create_agent') return;
  const target = String(input['agent_name'] ?? input['workspace_id'] ?? '');
  if (membersOf(agents, caller.team.of).some((member) => member.name.toLowerCase() === target.toLowerCase()))
    return;
  throw new FleetError(
    'FORBIDDEN',
    `The agent "${caller.team.of}" may use ${name} only for agents that it created, and ${quote(target)} is not one of them.`,
    { field: 'agent_name', reason: 'not_in_team' },
  );
}

function checkRoom(agents: Parameters<typeof membersOf>[0], { of, agents: most, depth }: Team): void {
  const members = membersOf(agents, of).length;
  if (members >= most)
    throw new FleetError(
      'FORBIDDEN',
      `The team of "${of}" has ${members} agents, which is its limit. Delete one that is done.`,
      { reason: 'team_full' },
    );
  const above = ancestorsOf(agents, of).length;
  if (above >= depth)
    throw new FleetError(
      'FORBIDDEN',
      `The agent "${of}" is itself in a team, ${above} deep, and its role lets teams be ${depth} deep.`,
      { reason: 'team_depth' },
    );
}
