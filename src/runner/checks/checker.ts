import type { Check, CheckResult } from '../../domain/review/checks.ts';

export interface CheckRun {
  readonly commit: string;
  readonly checks: readonly Check[];
  /** True: also those with a result run. */
  readonly again: boolean;
  readonly signal: AbortSignal;
  progress(message: string): void;
}

/** Runs checks on the committed work of one agent. */
export interface Checker {
  /** The commit of the agent's branch, as far as it has arrived. */
  commit(): Promise<string>;
  run(run: CheckRun): Promise<void>;
  /** The results that are known of a commit. */
  known(commit: string, checks: readonly Check[]): Promise<readonly CheckResult[]>;
}

/** All that runs for an agent's checks is found by this, and by nothing that finds its task. */
export function checksMarker(workspaceId: string): string {
  return `checks.${workspaceId}`;
}
