export const EVENT_KINDS = [
  'agent.created',
  'agent.status',
  'agent.deleted',
  'task.accepted',
  'task.started',
  'task.ended',
  'report',
  'attention',
  'approval.asked',
  'approval.answered',
  'metadata',
  'check',
  'checkpoint',
  'conflict',
  'landed',
] as const;

export type EventKind = (typeof EVENT_KINDS)[number];

/** A change of state as it goes to subscribers; the cursor resumes after it in any process. */
export interface FleetEvent {
  readonly cursor: string;
  readonly at: string;
  readonly kind: EventKind;
  /** Null for an approval of a tool call, which belongs to no agent. */
  readonly agent_name: string | null;
  readonly workspace_id: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}
