import type { Team } from './team.ts';

/** Who asks, and through which interface. Every recorded fact carries both. */
export interface Principal {
  readonly kind: 'user' | 'mcp' | 'token' | 'agent' | 'session' | 'fleet';
  readonly name: string;
}

export type Door = 'cli' | 'mcp-stdio' | 'mcp-http' | 'http' | 'page' | 'self' | 'fleet';

export type Source = 'human' | 'ai' | 'agent';

export type Scope = 'read' | 'operate' | 'approve' | 'self';

export const SCOPES: readonly Scope[] = ['read', 'operate', 'approve', 'self'];

export interface Caller {
  readonly principal: Principal;
  readonly door: Door;
  readonly source: Source;
  readonly scopes: ReadonlySet<Scope>;
  /** Set when the caller is an agent: the one agent that scope `self` reaches. */
  readonly self?: { readonly agent_name: string };
  /** Names of views: the caller is offered only the tools that all of them show. */
  readonly views?: readonly string[];
  /** True for a caller that is listed every operation, also those that few need. */
  readonly all_tools?: boolean;
  /** Set when the caller is a browser: the id of its session. */
  readonly session?: string;
  /** Set when the caller is an agent that runs a team: what it changes is checked against this. */
  readonly team?: Team;
}

/** What is written down of a caller. */
export interface Actor {
  readonly principal: string;
  readonly door: Door;
}

export function actorOf(caller: Pick<Caller, 'principal' | 'door'>): Actor {
  return { principal: `${caller.principal.kind}:${caller.principal.name}`, door: caller.door };
}

export const FLEET_ACTOR: Actor = { principal: 'fleet:fleet', door: 'fleet' };
