/** What an agent that runs a team may do. */
export interface Team {
  /** Name of the agent. */
  readonly of: string;
  /** How many agents its team may have, those of its members' teams included. */
  readonly agents: number;
  /** How many teams may be inside of each other. */
  readonly depth: number;
}

/** Carries a team to the process that serves it. */
export const TEAM_VARIABLE = 'FLEET_TEAM';
/** Tells an agent that runs a team where it reaches the fleet. */
export const TEAM_SOCKET_VARIABLE = 'FLEET_TEAM_SOCKET';
/** The agent whose process it is. */
export const AGENT_VARIABLE = 'FLEET_TEAM_AGENT';
/** The view whose tools the agent has. */
export const VIEW_VARIABLE = 'FLEET_TEAM_VIEW';

export function isTeam(value: unknown): value is Team {
  return (
    typeof value === 'object' &&
    value !== null &&
    'of' in value &&
    typeof value.of === 'string' &&
    'agents' in value &&
    typeof value.agents === 'number' &&
    'depth' in value &&
    typeof value.depth === 'number'
  );
}

interface Made {
  readonly name: string;
  readonly created_by: string;
}

/** The agents that an agent created, and those that they created. */
export function membersOf(agents: readonly Made[], manager: string): readonly Made[] {
  return agents.filter(({ name }) => ancestorsOf(agents, name).some((each) => same(each, manager)));
}

/** Who created an agent, and who created that one, as far as they are agents. */
export function ancestorsOf(agents: readonly Made[], name: string): readonly string[] {
  const found: string[] = [];
  for (let at: string | undefined = name; at !== undefined;) {
    const made = agents.find((each) => same(each.name, at ?? ''));
    const [, by] = /^agent:(.*)$/.exec(made?.created_by ?? '') ?? [];
    at = by === undefined || found.some((each) => same(each, by)) ? undefined : by;
    if (at !== undefined) found.push(at);
  }
  return found;
}

function same(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
