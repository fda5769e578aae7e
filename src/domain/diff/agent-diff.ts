export const DIFF_STATUSES = ['added', 'modified', 'deleted', 'renamed', 'copied', 'type_changed'] as const;
export type DiffStatus = (typeof DIFF_STATUSES)[number];

/** A file that an agent has changed. */
export interface DiffFile {
  readonly path: string;
  /** What it was called before; null unless it was renamed or copied. */
  readonly old_path: string | null;
  readonly status: DiffStatus;
  /** As git writes it, such as 100755; the one before for a deleted file. */
  readonly mode: string;
  readonly insertions: number;
  readonly deletions: number;
  readonly binary: boolean;
  /** True when some of it is in no commit. */
  readonly uncommitted: boolean;
  /** True for a file that others run or obey once it lands, such as a workflow or a hook. */
  readonly runs_elsewhere: boolean;
}

/** The two states that are compared. */
export interface DiffSides {
  /** The branch that the agent has checked out; null when it has none. */
  readonly branch: string | null;
  /** The commit that the work is compared with; null for one that compares with a checkpoint. */
  readonly base: string | null;
  readonly head: string | null;
  readonly from_tree: string;
  readonly to_tree: string;
  /** What a reader should know beside. */
  readonly notes: readonly string[];
}

export interface DiffRequest {
  /** What one task changed. */
  readonly task_id?: string | undefined;
  /** What changed since a checkpoint; 0 is where the agent began. */
  readonly since?: number | undefined;
  /** Files and directories; all when there are none. */
  readonly paths: readonly string[];
  readonly format: 'files' | 'patch';
  readonly max_bytes: number;
  readonly cursor?: string | undefined;
}

export interface PatchedFile extends DiffFile {
  readonly patch?: string;
  /** The bytes of the patch, where they are not UTF-8. */
  readonly patch_base64?: string;
}

export interface AgentDiff extends Pick<DiffSides, 'branch' | 'base' | 'head' | 'notes'> {
  readonly uncommitted: boolean;
  readonly files: readonly PatchedFile[];
  readonly total_files: number;
  readonly insertions: number;
  readonly deletions: number;
  /** Where the next page begins; null on the last one. */
  readonly cursor: string | null;
}
