/** How an agent's workspace is made: decided when the agent is created, done by its runner. */
export interface WorkspacePlan {
  readonly repository: string;
  readonly directory: string;
  /** The commit that the agent's work starts from, and what it was called. */
  readonly base_commit: string;
  readonly base_name: string;
  /** The ref that the base is followed by; by default the branch of that name. */
  readonly base_ref?: string;
  readonly branch: string;
  readonly setup: readonly string[] | null;
  readonly copy: readonly string[];
  /** Undefined for an agent that an older Fleet made, which works in a git worktree of the project's repository. */
  readonly clone?: ClonePlan;
  /** Of agents in a worktree: false for a branch that was there before the agent. */
  readonly own_branch?: boolean;
}

/** An agent's repository of its own, which borrows the objects of the project's. */
export interface ClonePlan {
  /** The git directory of the project's repository, which all its worktrees share. */
  readonly lender: string;
  /** The one of the worktree that the project is; most often the same. */
  readonly git_directory: string;
  /** The commit that is checked out first. */
  readonly start_commit: string;
  /** The existing branch, or the pull request, that the work goes on from; null for a new one. */
  readonly started_from: string | null;
  /** What the agent's branch is called in the project's repository. */
  readonly published_as: string;
  readonly format: 'sha1' | 'sha256';
  /** True for a shallow repository: its objects are copied, not borrowed. */
  readonly shallow: boolean;
}

export function baseRef({ base_ref, base_name }: Pick<WorkspacePlan, 'base_ref' | 'base_name'>): string {
  return base_ref ?? `refs/heads/${base_name}`;
}
