import type { GitFacts } from '../domain/agent.ts';
import type { LogLevel } from '../domain/task.ts';

/** The place where an agent works, as its runner sees it. */
export interface Workspace {
  readonly directory: string;
  /** Makes what is missing; doing it again is harmless. */
  prepare(
    log: (level: LogLevel, message: string) => void,
    signal: AbortSignal,
  ): Promise<{
    readonly branch: string | null;
    readonly base: string | null;
  }>;
  git(): Promise<GitFacts | null>;
}

/** Whose turn it is to start: many at once would starve each other. */
export interface Admission {
  /** Resolves when it is this agent's turn; dispose the turn when the agent is ready. */
  enter(signal: AbortSignal): Promise<Disposable>;
}
