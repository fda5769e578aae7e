/** What is kept of a deleted agent. */
export interface KeptAgent {
  readonly workspace_id: string;
  readonly agent_name: string;
  readonly project: string | null;
  readonly deleted_at: string;
  /** The branch of the project's repository with the work that was nowhere else. */
  readonly branch: string | null;
  /** Size of its workspace and history in the archive; null when only the branch is left. */
  readonly bytes: number | null;
}
