/** How an agent's worktree is made: decided when the agent is created, done by its runner. */
export interface WorktreePlan {
  readonly repository: string;
  readonly directory: string;
  /** The commit that the agent's work starts from, and what it was called. */
  readonly base_commit: string;
  readonly base_name: string;
  readonly branch: string;
  /** False for a branch that was there before the agent: it is never deleted. */
  readonly own_branch: boolean;
  readonly setup: readonly string[] | null;
  readonly copy: readonly string[];
  /** Paths that git ignores and that are work; agents of older versions have none. */
  readonly keep?: readonly string[];
}
