import type { FeedbackState } from '../../domain/review/ci-feedback.ts';

/** Which projects hand what their pull requests get back to the agents, and what was handed back. */
export interface FeedbackRecords {
  /** The names of the projects. */
  projects(): Promise<ReadonlySet<string>>;
  /** Of a workspace and its pull request. */
  get(workspace_id: string, url: string): FeedbackState;
  put(workspace_id: string, url: string, state: FeedbackState): void;
  /** Forgets agents that are gone. */
  keepOnly(workspaces: ReadonlySet<string>): void;
}
