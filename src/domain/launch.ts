/** What an agent is started with: resolved and frozen when it is created; `restart_agent` takes the environment anew. */
export interface Launch {
  readonly name: string;
  readonly workspace_id: string;
  readonly project: string;
  readonly role: string;
  readonly spec: string;
  readonly created_at: string;
  readonly created_by: string;
  /** The driver: `command`, `claude`, … */
  readonly agent: string;
  readonly command: readonly string[];
  readonly system_prompt: string | null;
  readonly model: string | null;
  readonly env: Readonly<Record<string, string>>;
  readonly on_crash: 'interrupt' | 'resume';
  /** Absent in agents of version 0.1.0: they are contained. */
  readonly contained?: boolean;
  /** How long a person has to answer the agent's questions; absent in agents of version 0.1.0. */
  readonly answer_within_ms?: number;
  readonly stuck_after_ms: number;
  readonly sleep_after_ms: number;
}
