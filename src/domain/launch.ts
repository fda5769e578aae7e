import type { BudgetLimits } from './budget.ts';
import type { PermissionRule } from './approvals/permission-rule.ts';
import type { AgentChecks } from './review/checks.ts';

/** What an agent is started with: resolved and frozen when it is created; `restart_agent` takes a new environment. */
export interface Launch {
  readonly name: string;
  readonly workspace_id: string;
  readonly project: string;
  readonly role: string;
  readonly spec: string;
  /** False when the spec is only the first task; absent in agents of version 0.1.0. */
  readonly spec_given?: boolean;
  readonly created_at: string;
  readonly created_by: string;
  /** The driver: `command`, `claude`, … */
  readonly agent: string;
  readonly command: readonly string[];
  readonly system_prompt: string | null;
  readonly model: string | null;
  readonly env: Readonly<Record<string, string>>;
  readonly on_crash: 'interrupt' | 'resume';
  /** Absent in an agent without checks. */
  readonly checks?: AgentChecks | undefined;
  /** Absent in agents of version 0.1.0: they are contained. */
  readonly contained?: boolean;
  /** Paths that the agent can write to beside its own. */
  readonly write?: readonly string[];
  /** Paths that are hidden from the agent. */
  readonly hide?: readonly string[];
  /** Sockets of the user, or directories of them, that the agent can connect to. */
  readonly sockets?: readonly string[];
  /** The socket of the user's ssh agent, for a role that may use it. */
  readonly ssh_agent?: string | undefined;
  /** A mode that the agent offers. */
  readonly mode?: string | null;
  /** True when the repository's own settings and MCP servers count. */
  readonly trust_repository?: boolean;
  /** Whether the fields of a Taskfile are run; absent where that follows from what the agent may run. */
  readonly metadata?: boolean | undefined;
  /** Standing answers to the agent's questions, the first that fits counts. */
  readonly permissions?: readonly PermissionRule[];
  readonly budget?: BudgetLimits;
  readonly retry?: { readonly wait_ms: number; readonly tries: number };
  readonly silence_limit_ms?: number;
  /** The agent has the fleet's operations, for agents that it creates. */
  readonly team?: { readonly agents: number; readonly depth: number };
  /** The agent has the tools of upstream servers that this view shows. */
  readonly view?: string;
  /** The configuration that its team and its view are made from: as it was then, or not at all. */
  readonly config?: { readonly path: string; readonly hash: string };
  /** The version of the adapter that the agent was made with. */
  readonly agent_version?: string;
  /** How long a person has to answer the agent's questions; absent in agents of version 0.1.0. */
  readonly answer_within_ms?: number;
  readonly stuck_after_ms: number;
  readonly sleep_after_ms: number;
}

/** The spec as the agent itself gets it; empty when none was given. */
export function givenSpec({ spec, spec_given }: Pick<Launch, 'spec' | 'spec_given'>): string {
  return spec_given === false ? '' : spec;
}
