import type { AgentListView, AgentView } from '../domain/agent.ts';
import type { Approval, Decision } from '../domain/approval.ts';
import type { Paging } from '../domain/paging.ts';
import type { Project, Role } from '../domain/project.ts';
import type { AgentStatus } from '../domain/status.ts';
import type { HistoryRow, LogRow } from '../domain/task.ts';

interface Lifecycle {
  readonly agent_name: string;
  readonly workspace_id: string;
  readonly status: AgentStatus;
  readonly message: string;
}

interface BriefTask extends Pick<HistoryRow, 'id' | 'message' | 'created_at' | 'state'> {}

interface Page extends Paging {
  readonly agent_name: string;
  readonly as_of: string;
}

/** What each operation answers, as the commands that print it see it. */
export interface Answers {
  readonly list_agents: {
    readonly agents: readonly AgentListView[];
    readonly total_count: number;
    readonly unavailable?: readonly { readonly backend: string; readonly message: string }[];
  };
  readonly show_agent: { readonly agent: AgentView };
  readonly list_agent_projects: { readonly projects: readonly Project[]; readonly total_count: number };
  readonly list_agent_roles: {
    readonly project: string;
    readonly roles: readonly Role[];
    readonly total_count: number;
  };
  readonly create_agent: { readonly agent: AgentView; readonly message: string };
  readonly delete_agent: {
    readonly agent_name: string;
    readonly workspace_id: string;
    readonly message: string;
    readonly kept: string | null;
  };
  readonly restart_agent: Lifecycle;
  readonly stop_agent: Lifecycle;
  readonly start_agent_task: {
    readonly agent_name: string;
    readonly task: BriefTask;
    readonly agent_status: AgentStatus;
    readonly message: string;
  };
  readonly cancel_agent_task: {
    readonly agent_name: string;
    readonly message: string;
    readonly interrupt_sent: boolean;
    readonly task: BriefTask;
    readonly agent_status: AgentStatus;
  };
  readonly show_agent_task_history: Page & { readonly tasks: readonly HistoryRow[] };
  readonly show_agent_log: Page & { readonly logs: readonly LogRow[] };
  readonly wait_for_agents: {
    readonly agents: readonly AgentListView[];
    readonly timed_out: boolean;
    readonly cursor: string;
  };
  readonly set_agent_metadata: {
    readonly agent_name: string;
    readonly key: string;
    readonly value: string | null;
  };
  readonly acknowledge_agent: { readonly agent_name: string; readonly message: string };
  readonly list_approvals: { readonly approvals: readonly Approval[]; readonly total_count: number };
  readonly respond_approval: {
    readonly id: string;
    readonly decision: Decision;
    readonly answered_by: string;
  };
  readonly report_task: { readonly agent_name: string; readonly recorded_at: string };
}
