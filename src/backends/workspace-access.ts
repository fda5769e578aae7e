import type { AgentRecord } from './backend.ts';

/** A program as an agent's would be started, for a person who looks around in its workspace. */
export interface AgentShell extends Disposable {
  readonly directory: string;
  /** What the program needs of the agent's environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Why the program is not in a sandbox; null when it is. */
  readonly open_because: string | null;
  wrap(command: readonly string[]): readonly string[];
}

/** The workspaces of agents as directories of this machine. */
export interface WorkspaceAccess {
  directoryOf(agent: AgentRecord): string;
  shell(agent: AgentRecord): Promise<AgentShell>;
}

export interface TerminalSize {
  readonly width: number;
  readonly height: number;
}

/** The end of a terminal at which a person sits, or the streams of a program without one. */
export interface TerminalEnds {
  readonly isTerminal: boolean;
  write(bytes: Buffer): void;
  /** Absent without a terminal. */
  size?(): TerminalSize;
  /** Passes on what is typed until it is disposed; without a terminal nothing is. */
  follow(listener: { typed(text: string): void; resized(size: TerminalSize): void }): Disposable;
}
