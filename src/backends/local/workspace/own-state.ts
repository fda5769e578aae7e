import { existsSync, mkdirSync } from 'node:fs';
import { codingAgent } from '../../../agents/catalogue.ts';
import { copySession } from '../../../agents/copy-session.ts';
import type { Launch } from '../../../domain/launch.ts';
import type { AgentPaths } from '../records/paths.ts';

/** Makes the directory where a sandboxed agent keeps its settings and its sessions. An agent of the version before has
 *  its session where those of the user are: it is copied once. */
export function makeOwnState(launch: Launch, { state }: AgentPaths, session: string | null): void {
  if (existsSync(state)) return;
  const agent = codingAgent(launch.agent);
  if (agent !== undefined && session !== null) copySession(agent, { session, env: launch.env, state });
  mkdirSync(state, { recursive: true, mode: 0o700 });
}

/** What an agent was made with, without the directories of the user that agents of the version before took over. */
export function ownEnvironment({ agent, env, write }: Launch): Readonly<Record<string, string>> {
  const state = Object.keys(codingAgent(agent)?.state ?? {});
  if (write !== undefined) return env;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !state.includes(name)));
}
