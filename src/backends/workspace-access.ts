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
