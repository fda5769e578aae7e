import type { WorkspaceGit } from '../domain/agent.ts';
import type { AgentDiff, DiffRequest } from '../domain/diff/agent-diff.ts';
import type { CheckpointView } from '../domain/merge/checkpoint-view.ts';
import type { Updated, UpdateStrategy } from '../domain/merge/update.ts';
import type { LogLevel } from '../domain/task.ts';

/** The place where an agent works, as its runner sees it. */
export interface Workspace {
  readonly directory: string;
  readonly project?: ProjectRepository;
  /** Whether `prepare` is going to run a set-up. */
  setsUp(): boolean;
  /** Makes what is missing; doing it again is harmless. */
  prepare(
    log: (level: LogLevel, message: string) => void,
    signal: AbortSignal,
    turn: Turn,
  ): Promise<{
    readonly branch: string | null;
    readonly base: string | null;
  }>;
  /** What git says of the work; null when there is none. What goes wrong beside is told. */
  git(log: (level: LogLevel, message: string) => void): Promise<WorkspaceGit | null>;
  /** Keeps the state of the files at the end of a task; null when there is no repository. */
  checkpoint?(task_id: string): Promise<MadeCheckpoint | null>;
  /** What the agent has changed; `running` is the id of its task. */
  diff?(request: DiffRequest & { readonly running: string | null }): Promise<AgentDiff>;
  /** Oldest first. */
  checkpoints?(): Promise<readonly CheckpointView[]>;
  /** Brings newer commits of the base into the agent's branch. Called between tasks. */
  update?(strategy: UpdateStrategy, told: (made: MadeCheckpoint) => void): Promise<Updated>;
  /** Puts the files right after an update that a runner before this one did not finish. */
  finishUpdate?(told: (made: MadeCheckpoint) => void): Promise<void>;
}

export interface MadeCheckpoint {
  /** The first one of an agent has the number 1. */
  readonly number: number;
  readonly commit: string;
  /** Files that are too large for it. */
  readonly left_out: readonly string[];
}

/** The repository that the agent's work arrives in. No role lets an agent write to it. */
export interface ProjectRepository {
  readonly git_directories: readonly string[];
  /** What the agent's branch is called there. */
  readonly branch: string;
}

/** Whose turn it is to start: many at once would starve each other. */
export interface Admission {
  /** Resolves when it is this agent's turn; dispose the turn when the agent is ready. */
  enter(signal: AbortSignal, setsUp: boolean): Promise<Turn>;
}

export interface Turn extends Disposable {
  /** Runs a project's set-up, which may take long: agents that only start do not wait for it, other set-ups do. */
  setUp<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** A turn where nobody has to wait. */
export const FREE_TURN: Turn = { setUp: (work) => work(), [Symbol.dispose]: () => {} };
