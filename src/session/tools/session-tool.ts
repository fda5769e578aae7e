import type { ModelTool } from '../model/model.ts';

/** A tool that the session can call, with what decides whether a person is asked first. */
export interface SessionTool extends ModelTool {
  /** The tool agent that has it. */
  readonly server: string;
  readonly destructive: boolean;
  /** The orchestrator asks a person before it makes the call. */
  readonly gated: boolean;
}

/** Operations of the fleet that change something outside of an agent's workspace. */
const FAR_REACHING = /^(?:land|publish|undo)_/;

/** True when the person has to allow the call: by the hints of the tool, a rule of the configuration, or its name. */
export function needsApproval({ name, server, destructive, gated }: SessionTool, ownServer: string): boolean {
  return destructive || gated || (server === ownServer && FAR_REACHING.test(name));
}
