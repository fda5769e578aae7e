/** The state of an agent's files at the end of a task. */
export interface CheckpointView {
  readonly number: number;
  readonly task_id: string | null;
  readonly commit: string;
  readonly created_at: string;
  readonly files: number;
  readonly insertions: number;
  readonly deletions: number;
  /** Files that were too large for it. */
  readonly left_out: readonly string[];
}
