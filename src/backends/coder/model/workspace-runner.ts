import type { Actor } from '../../../domain/principal.ts';
import type { RunnerClient } from '../../../runner/api/runner-client.ts';
import type { Workspace } from './workspace-schema.ts';

/** How a runner is asked to end. */
export interface RunnerEnd {
  readonly kind: 'stop' | 'restart' | 'delete';
  /** Deleting: work that is nowhere else may go. */
  readonly discard_work?: boolean;
}

export type WorkFields = Readonly<Record<string, unknown>> & { readonly by?: Actor };

/** The program that answers for the agent in a workspace: Fleet's runner, or AgentAPI. All throw RunnerAway when none does. */
export interface WorkspaceRunner extends RunnerClient {
  /** False when it would be of no use to ask. */
  mayAnswer(workspace: Workspace): boolean;
  /** Brings the copy of the journal up to date, with the log when it is asked for. */
  hear(log: boolean): Promise<void>;
  /** Makes what it says of its work new, as far as that is quick. */
  refresh(): Promise<void>;
  /** Asks for what is done with the work in the workspace; repeating a request within `limit_ms` is harmless. */
  work(name: string, fields: WorkFields, limit_ms?: number): Promise<Record<string, unknown>>;
  /** Ends it, and gives the last that it says. */
  end(end: RunnerEnd & { readonly by: Actor }): Promise<Record<string, unknown>>;
}
